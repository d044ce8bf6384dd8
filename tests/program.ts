import { fileURLToPath } from 'node:url'

/** The file that a test runs as a server or command in a process of its own: what `npm test` has joined, or the sources. */
export const program = process.env.FENNEC_TEST_PROGRAM || fileURLToPath(new URL('../src/main.ts', import.meta.url))
