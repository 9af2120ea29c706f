import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** Okabe and Ito's colours, which people with any kind of colour blindness can tell apart. A measure has the same colour on all pages. */
export const SERIES = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00'] as const;

const blue: MantineColorsTuple = [
  '#e6f4fb',
  '#cfe6f4',
  '#9dcce8',
  '#68b0dc',
  '#3d98d1',
  '#1f89cb',
  '#0b7fc4',
  '#0072b2',
  '#005f96',
  '#004d7c',
];

export const THEME = createTheme({
  primaryColor: 'savepoint',
  primaryShade: 7,
  colors: { savepoint: blue },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  headings: { fontWeight: '600' },
});

/** Mantine's own greys and signal colours have too little contrast (WCAG asks for 4.5). */
const LIGHT = {
  dimmed: '#545b62',
  red: '#b42318',
  orange: '#9a3412',
  teal: '#0b6b4f',
  green: '#1f6f31',
  blue: '#155a97',
  gray: '#3f464d',
};
const DARK = {
  dimmed: '#a9adb1',
  red: '#ff9c94',
  orange: '#ffb86b',
  teal: '#5fd3ad',
  green: '#7fd48f',
  blue: '#7cc0f2',
  gray: '#c6cacd',
};

export const READABLE_COLOURS: CSSVariablesResolver = () => ({
  variables: {},
  light: variablesOf(LIGHT),
  dark: variablesOf(DARK),
});

function variablesOf({ dimmed, ...colours }: typeof LIGHT): Record<string, string> {
  const named = Object.entries(colours).flatMap(([name, value]) => [
    [`--mantine-color-${name}-text`, value],
    [`--mantine-color-${name}-light-color`, value],
    [`--mantine-color-${name}-outline`, value],
  ]);
  return {
    '--mantine-color-dimmed': dimmed,
    '--mantine-color-placeholder': dimmed,
    '--mantine-color-error': colours.red,
    ...Object.fromEntries(named),
  };
}
