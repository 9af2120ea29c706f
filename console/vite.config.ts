import { defineConfig } from 'vite';

/** The operations listener of the service that `npm run dev` starts. */
const OPERATIONS = `http://127.0.0.1:${process.env.SAVEPOINT_OPS_PORT ?? 8081}`;

export default defineConfig({
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    // What Mantine's styles ask of a browser too.
    target: ['chrome111', 'firefox114', 'safari16.4'],
    // A font or a picture inlined as data: would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { '/admin': OPERATIONS, '/openapi': OPERATIONS, '/reference': OPERATIONS } },
});
