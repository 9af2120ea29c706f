// Connects the game to Savepoint: it logs in, tracks events, and shows the store.
import { Savepoint } from '@savepoint/client';
import { createGame } from './game.mjs';
import { createStorePanel } from './store.mjs';

const GEMS_PER_ROUND = Number(new URLSearchParams(location.search).get('gems') ?? 15);
/** How many gems the SKUs of the demo catalogue hold. */
const GEMS_OF = { gems_80: 80, starter_pack: 500, gems_1200: 1_200 };
const SHOWN_EVENTS = 8;

const $ = (id) => document.getElementById(id);
const { shop, ...settings } = await (await fetch('/settings.json')).json();
const savepoint = new Savepoint({
  ...settings,
  build: '1.0.0',
  metadata: { osName: 'Web', deviceType: 'browser', locale: navigator.language },
  batch: { seconds: 2 },
  onRejected: ({ eventType, code }) => note(`${eventType} was refused: ${code}`),
  onError: ({ code }) => tellNetwork(code),
});
const sessionId = crypto.randomUUID();
const startedAt = Date.now();
let level = 0;
let gems = Number(localStorage.getItem('gems') ?? 0);
let isPayer = false;

const game = createGame($('canvas'), { onCaught: () => addGems(1) });
const store = createStorePanel($('store'), $('offer'), { onBuy: buy });

// Listeners are called when a response changes, no matter which call or tab requested it.
savepoint.player.on('store', store.show);
savepoint.player.on('status', (status) => {
  isPayer = status.isPayer.value;
});
addEventListener('online', () => tellNetwork());
addEventListener('offline', () => tellNetwork('network_failed'));
addEventListener('pagehide', () =>
  savepoint.track('Session_End', { sessionId, durationMs: Date.now() - startedAt }),
);
$('play').addEventListener('click', playRound);
$('close-ad').addEventListener('click', () => {
  $('ad').hidden = true;
});

addGems(0);
track('Session_Start', { sessionId });
// The game can be played before the login has succeeded, and without a login.
$('play').disabled = false;
try {
  const { userId } = await savepoint.login();
  $('player').textContent = `Player ${userId.slice(0, 8)}`;
  store.show(await savepoint.player.store());
  track('Store_View', { screen: 'game' });
  tellNetwork();
} catch (error) {
  $('player').textContent = 'Playing offline';
  tellNetwork(error.code);
}

async function playRound() {
  level++;
  $('menu').hidden = true;
  $('ad').hidden = true;
  track('Level_Start', { level });
  refresh();
  const { caught, count } = await game.play(level, GEMS_PER_ROUND);
  track('Level_Complete', { level, caught, count });
  $('headline').textContent = `Round ${level}: ${caught} of ${count}`;
  $('hint').textContent =
    caught > count / 2 ? 'Well caught. The next one is faster.' : 'The next one is yours.';
  $('play').textContent = 'Next round';
  $('menu').hidden = false;
  // Payers see no ads.
  if (!isPayer && level % 2 === 0) showAd();
}

function showAd() {
  $('ad').hidden = false;
  track('Ad_Impression', { sessionId, adId: 'space-farmers', campaignId: 'house-ads' });
}

/** A real game asks the platform's shop first, and sends its receipt. So does this one if there is a shop: `savepoint fake-store`. */
async function buy(sku) {
  const { skuId, offerPrice, currency, promoId } = sku;
  if (shop !== undefined) {
    savepoint.purchase({ sku: skuId, receipt: await buyAt(shop, sku), ...(promoId && { promoId }) });
  } else {
    track('Purchase', {
      transactionId: crypto.randomUUID(),
      skuId,
      price: offerPrice,
      currency,
      ...(promoId && { promoId }),
    });
  }
  addGems(GEMS_OF[skuId] ?? 0);
  // The next response shows what the purchase changes: the player is a payer now, and may get the offer for payers.
  await savepoint.flush();
  await refresh();
}

/** Buys for this player alone: the receipt names the player. */
async function buyAt(shopUrl, { skuId, offerPrice, currency }) {
  const { userId } = await savepoint.login();
  const response = await fetch(`${shopUrl}/apple/purchases`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // The shop counts in thousandths, as Apple does.
    body: JSON.stringify({ productId: skuId, price: Math.round(offerPrice * 1000), currency, userId }),
  });
  return (await response.json()).receipt;
}

/** Requests what may have changed; listeners are called. */
function refresh() {
  const responses = [savepoint.player.status(), savepoint.player.store()];
  return Promise.all(responses).then(
    () => tellNetwork(),
    ({ code }) => tellNetwork(code),
  );
}

function addGems(count) {
  gems += count;
  localStorage.setItem('gems', String(gems));
  $('gems').querySelector('b').textContent = gems.toLocaleString('en');
}

function track(type, payload) {
  savepoint.track(type, payload);
  note(`${type} ${JSON.stringify(payload)}`);
}

function note(text) {
  const line = document.createElement('li');
  line.textContent = text.length > 64 ? `${text.slice(0, 63)}…` : text;
  $('events').prepend(line);
  while ($('events').children.length > SHOWN_EVENTS) $('events').lastChild.remove();
}

function tellNetwork(problem) {
  $('network').textContent =
    problem === undefined
      ? 'Connected. Events are sent every two seconds.'
      : `Not connected (${problem}). Events wait on this device and are sent later.`;
}
