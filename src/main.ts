import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// What is compiled (and, of the sources, stripped of types) is kept beside the program: a start takes a third less. Not in the
// system's folder for temporary files, where others could put something in its place. Where nothing may be written, it is done without.
enableCompileCache(fileURLToPath(new URL('../.cache/compiled', import.meta.url)))

const { runCli } = await import('./cli/index.ts')
await runCli(process.argv.slice(2))
