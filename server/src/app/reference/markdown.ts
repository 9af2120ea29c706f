import { Marked, Renderer } from 'marked';
import { escapeHtml } from '../../platform/lib/escape-html.js';

const marked = new Marked({
  renderer: {
    // Titles of descriptions stand below those of the page, and links lead to them.
    heading({ tokens, depth, text }) {
      const level = Math.min(6, depth + 1);
      const id = text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
      return `<h${level} id="${id}">${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    // A wide table scrolls by itself, so that the page fits a phone.
    table(token) {
      return `<div class="table">${Renderer.prototype.table.call(this, token)}</div>`;
    },
    html: ({ text }) => escapeHtml(text),
  },
});

/** The Markdown of our own API documents as HTML. */
export function markdown(text: string): string {
  return marked.parse(text, { async: false });
}
