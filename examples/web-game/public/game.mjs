// The game itself: gems fall, a cart catches them. It knows nothing of Savepoint.

const CART_WIDTH = 190;
const CART_TOP = 985;
const GEM_SIZE = 34;
const COLOURS = ['#55d6be', '#ffd166', '#ef7b9d', '#8ab6ff'];

/** Runs rounds on a canvas. `onCaught` is called for each gem; `play` resolves with the result of a round. */
export function createGame(canvas, { onCaught }) {
  const context = canvas.getContext('2d');
  const keys = new Set();
  let cart = canvas.width / 2;
  let gems = [];
  let sparks = [];

  canvas.addEventListener('pointermove', (event) => {
    const { left, width } = canvas.getBoundingClientRect();
    cart = ((event.clientX - left) / width) * canvas.width;
  });
  addEventListener('keydown', ({ key }) => keys.add(key));
  addEventListener('keyup', ({ key }) => keys.delete(key));

  function move(seconds, level) {
    const speed = 900 * seconds;
    if (keys.has('ArrowLeft')) cart -= speed;
    if (keys.has('ArrowRight')) cart += speed;
    cart = Math.max(CART_WIDTH / 2, Math.min(canvas.width - CART_WIDTH / 2, cart));
    for (const gem of gems) {
      gem.y += (330 + 45 * level) * gem.speed * seconds;
      gem.turn += seconds * gem.speed * 2;
    }
    for (const spark of sparks) spark.age += seconds;
    sparks = sparks.filter(({ age }) => age < 0.5);
  }

  /** Takes out what has arrived at the height of the cart, and says how many gems fell into it. */
  function land() {
    const arrived = gems.filter(({ y }) => y > CART_TOP);
    gems = gems.filter(({ y }) => y <= CART_TOP);
    const caught = arrived.filter(({ x }) => Math.abs(x - cart) < CART_WIDTH / 2 + GEM_SIZE / 2);
    sparks.push(...caught.map(({ x, colour }) => ({ x, colour, age: 0 })));
    return { fallen: arrived.length, caught: caught.length };
  }

  function draw() {
    const { width, height } = canvas;
    const sky = context.createLinearGradient(0, 0, 0, height);
    sky.addColorStop(0, '#14243b');
    sky.addColorStop(1, '#28506b');
    context.fillStyle = sky;
    context.fillRect(0, 0, width, height);
    context.fillStyle = '#1a3346';
    for (let hill = 0; hill < 3; hill++) {
      context.beginPath();
      context.ellipse(120 + hill * 370, height, 330, 150 + 40 * (hill % 2), 0, Math.PI, 0);
      context.fill();
    }
    for (const gem of gems) drawGem(gem);
    drawCart(height);
    for (const { x, colour, age } of sparks) {
      context.globalAlpha = 1 - age * 2;
      context.strokeStyle = colour;
      context.lineWidth = 6;
      context.beginPath();
      context.arc(x, CART_TOP, 20 + age * 160, Math.PI, 0);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  function drawGem({ x, y, turn, colour }) {
    const half = GEM_SIZE * (0.75 + 0.25 * Math.cos(turn));
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(x, y - GEM_SIZE);
    context.lineTo(x + half, y - GEM_SIZE / 4);
    context.lineTo(x, y + GEM_SIZE);
    context.lineTo(x - half, y - GEM_SIZE / 4);
    context.fill();
    context.fillStyle = 'rgb(255 255 255 / 35%)';
    context.beginPath();
    context.moveTo(x, y - GEM_SIZE);
    context.lineTo(x, y + GEM_SIZE);
    context.lineTo(x - half, y - GEM_SIZE / 4);
    context.fill();
  }

  function drawCart(height) {
    context.fillStyle = '#d9825b';
    context.beginPath();
    context.roundRect(cart - CART_WIDTH / 2, CART_TOP, CART_WIDTH, 52, [8, 8, 26, 26]);
    context.fill();
    context.fillStyle = '#0d1521';
    for (const side of [-1, 1]) {
      context.beginPath();
      context.arc(cart + side * 55, height - 34, 20, 0, 2 * Math.PI);
      context.fill();
    }
  }

  function newGem() {
    return {
      x: 60 + Math.random() * (canvas.width - 120),
      y: -GEM_SIZE,
      speed: 0.8 + Math.random() * 0.5,
      turn: Math.random() * 6,
      colour: COLOURS[Math.floor(Math.random() * COLOURS.length)],
    };
  }

  draw();
  return {
    play(level, count) {
      gems = [];
      let left = count;
      let caught = 0;
      let nextIn = 0;
      let last = performance.now();
      return new Promise((resolve) => {
        const frame = (now) => {
          // A tab that was hidden continues where it stopped.
          const seconds = Math.min(0.05, (now - last) / 1000);
          last = now;
          nextIn -= seconds;
          if (left > 0 && nextIn <= 0) {
            gems.push(newGem());
            left--;
            nextIn = 0.75 - Math.min(0.4, level * 0.04);
          }
          move(seconds, level);
          const landed = land();
          caught += landed.caught;
          for (let n = 0; n < landed.caught; n++) onCaught();
          draw();
          if (left === 0 && gems.length === 0) resolve({ caught, count });
          else requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      });
    },
  };
}
