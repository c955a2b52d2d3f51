// Each icon by its own file: the index of the package would put 6000 modules before the bundler.
export { default as IconActivity } from '@tabler/icons-react/dist/esm/icons/IconActivity.mjs';
export { default as IconCalendar } from '@tabler/icons-react/dist/esm/icons/IconCalendar.mjs';
export { default as IconChevronLeft } from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
export { default as IconChevronRight } from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
export { default as IconFolder } from '@tabler/icons-react/dist/esm/icons/IconFolder.mjs';
export { default as IconListCheck } from '@tabler/icons-react/dist/esm/icons/IconListCheck.mjs';
export { default as IconMailX } from '@tabler/icons-react/dist/esm/icons/IconMailX.mjs';
export { default as IconMoon } from '@tabler/icons-react/dist/esm/icons/IconMoon.mjs';
export { default as IconPlug } from '@tabler/icons-react/dist/esm/icons/IconPlug.mjs';
export { default as IconSearch } from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
export { default as IconServer2 } from '@tabler/icons-react/dist/esm/icons/IconServer2.mjs';
export { default as IconSun } from '@tabler/icons-react/dist/esm/icons/IconSun.mjs';
