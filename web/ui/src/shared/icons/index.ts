import { drawing } from './drawing';

export type { Icon } from './drawing';

export const IconActivity = drawing('M2 13h5l3-9 4 16 3-7h5');
export const IconBars = drawing('M3 5h9M8 12h11M5 19h7M3 2v20');
export const IconBookmark = drawing('M6 3h12v18l-6-5-6 5z');
export const IconCalendar = drawing('M4 6h16v14H4zM4 11h16M8 3v5M16 3v5M8 15h2M14 15h2');
export const IconCheck = drawing('M4 12l6 6L20 6');
export const IconChevronLeft = drawing('M14 5l-7 7 7 7');
export const IconChevronRight = drawing('M10 5l7 7-7 7');
export const IconColumns = drawing('M3 4h18v16H3zM9 4v16M15 4v16');
export const IconDots = drawing('M12 5h.01M12 12h.01M12 19h.01');
export const IconFilter = drawing('M3 5h18M6 12h12M10 19h4');
export const IconFolder = drawing('M3 19V5h6l2 3h10v11z');
export const IconHome = drawing('M3 12l9-8 9 8M6 10v10h12V10M10 20v-6h4v6');
export const IconListCheck = drawing('M3 6l1.5 1.5L7 4.5M3 13l1.5 1.5L7 11.5M3 20l1.5 1.5L7 18.5M11 6h10M11 13h10M11 20h10');
export const IconMailX = drawing('M3 19V5h18v8M3 6l9 7 9-7M3 19h10M16 16l5 5M21 16l-5 5');
export const IconMoon = drawing('M20 14A8.5 8.5 0 1 1 10 4a7 7 0 0 0 10 10z');
export const IconPlug = drawing('M9 2v6M15 2v6M6 8h12v4a6 6 0 0 1-12 0zM12 18v4');
export const IconSearch = drawing('M17 10.5a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0zM15.5 15.5L21 21');
export const IconServer = drawing('M3 4h18v7H3zM3 13h18v7H3zM7 7.5h.01M7 16.5h.01M12 7.5h5M12 16.5h5');
export const IconSun = drawing('M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M19 5l-1.4 1.4M6.4 17.6L5 19');
export const IconX = drawing('M6 6l12 12M18 6L6 18');
