import { Autocomplete, Stack, Text } from '@mantine/core';
import { useHandlers } from './queries';

interface Props {
  project: string;
  service: string;
  label: string;
  help: string;
  error: string | undefined;
  value: string;
  onChange: (handler: string) => void;
}

/** A handler's name, with those that the clients of the service announce to choose from, and what they say of them. */
export function HandlerField({ project, service, label, help, error, value, onChange }: Props) {
  const { data: handlers = [] } = useHandlers(project, service);
  const descriptions = new Map(handlers.map((one) => [one.handler, one.description]));
  return (
    <Autocomplete
      label={label} description={help} error={error} value={value} data={[...descriptions.keys()]} required onChange={onChange}
      renderOption={({ option }) => (
        <Stack gap={0}>
          <Text size="sm">{option.value}</Text>
          {descriptions.get(option.value) && <Text size="xs" c="dimmed">{descriptions.get(option.value)}</Text>}
        </Stack>
      )}
    />
  );
}
