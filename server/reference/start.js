// Starts Scalar, which is loaded from this server like everything else here.
const policy = document.querySelector('meta[property="csp-nonce"]');
const { nonce } = policy;

// Scalar brings its styles as elements that it makes itself. The Content-Security-Policy takes them only with the nonce of
// the page. For the first one Scalar looks it up here; for the others it does not know of it.
policy.content = nonce;
const createElement = document.createElement.bind(document);
document.createElement = (name, options) => {
  const element = createElement(name, options);
  if (String(name).toLowerCase() === 'style') element.nonce = nonce;
  return element;
};

const bundle = document.createElement('script');
bundle.src = 'scalar.js';
bundle.addEventListener('load', () => {
  globalThis.Scalar.createApiReference('#app', {
    sources: [
      { url: '../openapi/player.json', title: 'Player API', slug: 'player' },
      { url: '../openapi/admin.json', title: 'Admin API', slug: 'admin' },
    ],
    // Nothing from elsewhere: no fonts, no telemetry, no tools that talk to a third party.
    withDefaultFonts: false,
    telemetry: false,
    showDeveloperTools: 'never',
    hideClientButton: true,
    agent: { disabled: true },
    mcp: { disabled: true },
  });
});
document.head.append(bundle);
