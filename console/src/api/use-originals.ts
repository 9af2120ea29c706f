import { useLocalStorage } from '@mantine/hooks';

/** Whether money is shown in the currencies it was paid in, on all pages of this browser. */
export function useOriginals(): [boolean, (isOriginal: boolean) => void] {
  const [value, setValue] = useLocalStorage({
    key: 'savepoint-original-currencies',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  return [value, setValue];
}
