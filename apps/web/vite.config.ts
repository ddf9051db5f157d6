import tailwindcss from '@tailwindcss/vite';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import router from './tsr.config.json' with { type: 'json' };

const here = (path: string): string => decodeURIComponent(new URL(path, import.meta.url).pathname);

export default defineConfig({
  plugins: [
    // Its options are in tsr.config.json, where the check for a stale route tree reads them too. Left alone it would
    // look for that file where the build was started, and make one single chunk when it finds none.
    tanstackRouter({
      ...(router as Parameters<typeof tanstackRouter>[0]),
      routesDirectory: here('src/routes'),
      generatedRouteTree: here('src/routeTree.gen.ts'),
    }),
    react(),
    tailwindcss(),
  ],
  build: {
    outDir: 'dist',
    target: 'es2023',
    sourcemap: false,
    // Which chunks a page needs: read by the test of the bundle's size.
    manifest: true,
    // The content security policy allows scripts, styles and images from our own origin only, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        // What every page starts with is one file: cut by who shares what, it was thirteen, and every one of them made
        // compression begin anew.
        // The base names every chunk: short names are two kilobytes less of it. What a chunk is stands in the manifest.
        chunkFileNames: 'assets/[hash].js',
        codeSplitting: { groups: [{ name: 'base', tags: ['$initial'] }] },
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:3000', '/v1': 'http://127.0.0.1:3000' } },
});
