/**
 * Lets Node load `.tsx` files: its own loader removes types and leaves JSX. For tests and tools, which run the sources as they
 * are. The server runs from a bundle, and the package from compiled files.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'

const runtime = new URL('../src/console/html/jsx-runtime.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, nextResolve) {
    return specifier === '#html/jsx-runtime' ? { url: runtime, shortCircuit: true } : nextResolve(specifier, context)
  },
  load(url, context, nextLoad) {
    if (!url.endsWith('.tsx')) return nextLoad(url, context)
    const sourcefile = fileURLToPath(url)
    const { code } = transformSync(readFileSync(sourcefile, 'utf8'), {
      loader: 'tsx',
      jsx: 'automatic',
      jsxImportSource: '#html',
      target: 'node24',
      sourcemap: 'inline',
      sourcefile,
    })
    return { format: 'module', source: code, shortCircuit: true }
  },
})
