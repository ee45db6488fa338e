// Puts the WebAssembly that cmake --preset wasm builds beside the compiled package.
import {copyFileSync, existsSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

const built = new URL('../../build/wasm/bindings/web/turgor.wasm', import.meta.url);
if (!existsSync(built)) {
    console.error('turgor.wasm is not built; build it with: cmake --preset wasm && cmake --build --preset wasm');
    process.exit(1);
}
copyFileSync(fileURLToPath(built), fileURLToPath(new URL('./dist/turgor.wasm', import.meta.url)));
