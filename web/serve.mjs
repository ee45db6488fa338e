// A small web server for a folder of static files, on this machine only.
//     node serve.mjs FOLDER [--port N]
import {createReadStream, realpathSync, statSync} from 'node:fs';
import {createServer} from 'node:http';
import {extname, join, resolve, sep} from 'node:path';
import {fileURLToPath} from 'node:url';

const types = {
    '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
    '.wasm': 'application/wasm', '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png',
};

/** The file that an address means, or null where it leads out of the folder or to nothing. */
function fileFor(folder, address) {
    try {
        let path = decodeURIComponent(new URL(address, 'http://localhost').pathname);
        if (path.endsWith('/')) path += 'index.html';
        const top = resolve(folder);
        const file = resolve(join(top, path));
        return file.startsWith(top + sep) && statSync(file).isFile() ? file : null;
    } catch {
        return null;
    }
}

function answer(folder, request, response) {
    const file = fileFor(folder, request.url ?? '/');
    if (!file || !['GET', 'HEAD'].includes(request.method)) {
        response.writeHead(file ? 405 : 404, {'content-type': 'text/plain'}).end(file ? 'only GET' : 'not here');
        return;
    }
    const type = types[extname(file)] ?? 'application/octet-stream';
    response.writeHead(200, {'content-type': type, 'cache-control': 'no-cache'});
    if (request.method === 'HEAD') response.end();
    else createReadStream(file).on('error', () => response.destroy()).pipe(response);
}

/** Serves the folder on the port, or where that is taken and `others` is set, on the next free one. 0: any. */
export function serve(folder, port, others = true) {
    return new Promise((done, reject) => {
        const server = createServer((request, response) => answer(folder, request, response));
        let tries = 0;
        server.on('error', (error) => {
            if (error.code !== 'EADDRINUSE' || !others || ++tries > 50) reject(error);
            else server.listen(port + tries, '127.0.0.1');
        });
        server.on('listening', () =>
            done({address: `http://localhost:${server.address().port}/`, close: () => server.close()}));
        server.listen(port, '127.0.0.1');
    });
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
    const [folder, option, value] = process.argv.slice(2);
    const given = option === '--port';
    const port = given ? Number(value) : 8000;
    if (!folder || (option && !given) || !(Number.isInteger(port) && port >= 0 && port < 65536)) {
        console.error('usage: node serve.mjs FOLDER [--port N], with a port of 0 … 65535');
        process.exit(2);
    }
    try {
        const {address} = await serve(folder, port, !given);
        console.log(`Turgor is at ${address} (Ctrl-C ends it)`);
    } catch (error) {
        console.error(`port ${port} cannot be used (${error.code}); give another one: --port N`);
        process.exit(2);
    }
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
}
