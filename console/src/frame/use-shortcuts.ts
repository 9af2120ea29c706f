import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useStudioAndGame } from '../api/hooks.js';
import { PAGES } from './navigation.js';

/** Long enough for two keys in a row, short enough that a `g` alone is forgotten. */
const SECOND_KEY_MS = 1_500;

/** `/` searches, `?` helps, `g p` goes to players. They do nothing while a field has the focus. */
export function useShortcuts({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }): void {
  const navigate = useNavigate();
  const { studio, game } = useStudioAndGame();
  useEffect(() => {
    let firstAt = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const page =
        Date.now() - firstAt < SECOND_KEY_MS ? PAGES.find(({ key }) => key === event.key) : undefined;
      firstAt = event.key === 'g' ? Date.now() : 0;
      if (page !== undefined) navigate({ to: page.to, params: { studio, game } });
      else if (event.key === '/') onSearch();
      else if (event.key === '?') onHelp();
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [navigate, studio, game, onSearch, onHelp]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}
