// Before the first paint: the colours that were chosen, else those of the system. A file, because the policy forbids inline scripts.
(() => {
  const chosen = localStorage.getItem('mantine-color-scheme-value');
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
