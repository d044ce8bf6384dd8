import { enableCompileCache, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

// Only the owner may read repositories, the database and keys. The processes of git inherit it.
process.umask(0o077)

// What is compiled (and, of the sources, stripped of types) is kept beside the program: a start takes a third less. Not in the
// system's folder for temporary files, where others could put something in its place. Where nothing may be written, it is done without.
enableCompileCache(fileURLToPath(new URL('../.cache/compiled', import.meta.url)))

// A relative import of an ES module is the exact address of a file. Node also looks up the real path and the package of each
// of the thousand files, which takes as long as the rest of loading them.
registerHooks({
  resolve(specifier, context, resolveInNode) {
    const isExact = specifier.startsWith('.') && context.conditions.includes('import')
    if (!isExact) return resolveInNode(specifier, context)
    const format = specifier.endsWith('.ts') ? 'module-typescript' : undefined
    return { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true }
  },
})

const { runCli } = await import('./cli/index.ts')
await runCli(process.argv.slice(2))
