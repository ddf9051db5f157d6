import tailwindcss from '@tailwindcss/vite';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [
    // Its options are in tsr.config.json, where the check for a stale route tree reads them too.
    tanstackRouter(),
    react(),
    tailwindcss(),
  ],
  build: {
    outDir: 'dist',
    target: 'es2023',
    sourcemap: false,
    // The content security policy allows scripts, styles and images from our own origin only, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:3000', '/v1': 'http://127.0.0.1:3000' } },
});
