import { createHash } from 'node:crypto';
import { escapeHtml } from '../../platform/lib/escape-html.js';
import type { PageGame } from './code-queries.js';

/** The page on which a person who has removed the game asks for erasure. Plain HTML without scripts: it works in every browser. */

const STYLE = `
:root { color-scheme: light dark; --text: #1c1b22; --muted: #5a5866; --back: #fbfbfd; --line: #c9c7d4; --action: #4b3fc4; --danger: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #ecebf2; --muted: #aaa8b8; --back: #17161c; --line: #4a4857; --action: #6f63e6; --danger: #d0453c; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 0 auto; padding: 2rem 1rem 4rem; overflow-wrap: break-word; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; }
h2 { font-size: 1rem; margin: 2rem 0 0.25rem; }
p, ul { margin: 0.5rem 0; }
ul { padding-left: 1.25rem; }
.game { color: var(--muted); margin: 0.25rem 0 1.5rem; }
.alert { border-left: 4px solid var(--danger); padding: 0.25rem 0 0.25rem 0.75rem; }
form { margin-top: 1rem; }
label { display: block; font-weight: 600; }
input { display: block; width: 100%; max-width: 20rem; margin: 0.25rem 0 1rem; padding: 0.75rem; border: 1px solid var(--line); border-radius: 0.375rem;
  background: transparent; color: inherit; font: 1.125rem/1.25 ui-monospace, monospace; text-transform: uppercase; }
button { padding: 0.75rem 1.25rem; border: 0; border-radius: 0.375rem; background: var(--action); color: #fff; font: inherit; font-weight: 600; }
button.danger { background: var(--danger); }
a { color: inherit; margin-left: 1rem; }
code { font: 0.9375rem/1.5 ui-monospace, monospace; }
`;

/** No script, no request to anywhere, no frame around it; forms go to the page itself. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

const TITLE = 'Delete your player data';

/** The first step: the code. With `refused`, what was typed before and is no code of the game. */
export function codePage(game: PageGame, refused?: string): string {
  const alert =
    refused === undefined
      ? ''
      : '<p class="alert" role="alert">This code is not valid: it may be misspelt, expired or used. Nothing was deleted.</p>';
  return page(
    game,
    `${alert}
    <form method="post">
      <label for="code">The code that the game shows</label>
      <input id="code" name="code" value="${escapeHtml(refused ?? '')}" required maxlength="40" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="XXXX-XXXX-XXXX">
      <button>Continue</button>
    </form>
    ${consequences(game)}
    <h2>Without a code</h2>
    <p>Write to ${escapeHtml(game.studio)}, who can find and delete your data.</p>`,
  );
}

/** The second step: the person is asked once more. */
export function confirmPage(game: PageGame, code: string): string {
  return page(
    game,
    `<p><strong>The code is right.</strong> Nothing is deleted yet. Do you want to delete your data for good?</p>
    <form method="post">
      <input type="hidden" name="code" value="${escapeHtml(code)}">
      <input type="hidden" name="confirm" value="yes">
      <button class="danger">Delete my data</button><a href="">Cancel</a>
    </form>
    ${consequences(game)}`,
  );
}

export function requestedPage(
  game: PageGame,
  { erasureId, dueAt }: Readonly<{ erasureId: string; dueAt: number }>,
): string {
  const when =
    game.waitDays === 0
      ? 'Your data is being deleted now.'
      : `Your data will be deleted after ${new Date(dueAt).toISOString().slice(0, 10)}.`;
  return page(
    game,
    `<p role="status"><strong>Your request was received.</strong> ${when} You are logged out on all devices.</p>
    <p>If you write to ${escapeHtml(game.studio)} about it, name this request: <code>${escapeHtml(erasureId)}</code></p>`,
  );
}

/** Anything that is wrong with the request or the service. */
export function problemPage(message: string): string {
  return page(undefined, `<p class="alert" role="alert">${escapeHtml(message)}</p>`);
}

function consequences({ waitDays, studio }: PageGame): string {
  const when =
    waitDays === 0
      ? 'At once. It cannot be undone.'
      : `${waitDays === 1 ? 'One day' : `${waitDays} days`} after your request. Until then ${escapeHtml(studio)} can still stop it if you write to them. After that it cannot be undone.`;
  return `<h2>What is deleted</h2>
    <p>Everything that is stored about you as a player: what you did in the game, your purchases, your devices and sessions, and notes about
      you. You are logged out on all devices, and the game begins anew if you come back.</p>
    <h2>What stays</h2>
    <ul>
      <li>Numbers about all players together. They name nobody.</li>
      <li>Of each purchase the amount, the currency and the day, as tax law demands. Nothing tells that they were yours.</li>
      <li>That you asked, without your player id.</li>
    </ul>
    <h2>When</h2>
    <p>${when}</p>`;
}

function page(game: PageGame | undefined, content: string): string {
  const of =
    game === undefined ? '' : `<p class="game">${escapeHtml(game.game)}, by ${escapeHtml(game.studio)}</p>`;
  const title = game === undefined ? TITLE : `${TITLE}: ${game.game}`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
    <h1>${TITLE}</h1>
    ${of}
    ${content}
    </main>
  </body>
</html>
`;
}
