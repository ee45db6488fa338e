import {fileURLToPath} from 'node:url';
import {defineConfig} from 'vite';

export default defineConfig({
    base: './',  // any folder of any server will do
    resolve: {alias: {'turgor-web': fileURLToPath(new URL('../bindings/web/dist/index.js', import.meta.url))}},
    worker: {format: 'es'},
    build: {
        outDir: fileURLToPath(new URL('../out/web', import.meta.url)),
        emptyOutDir: true,
        target: 'es2022',
        assetsInlineLimit: 0,
        chunkSizeWarningLimit: 1000,
    },
});
