/**
 * `npm run build`: compiles JavaScript and type declarations to `dist/`, and copies all other files there; and joins
 * the program's files in `dist/bundle`. Only the published package needs it; `npm start` joins the sources itself.
 */
import { cpSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.mjs'
import { ensureInstalled, root } from './install.mjs'
import { runProgram } from './programs.mjs'

const dist = join(root, 'dist')
/** Files of the reference pages, so that the package has no external dependency for them. */
const docsAssets = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui-standalone-preset.js',
  'swagger-ui-standalone-preset.js.LICENSE.txt',
  'swagger-ui.css',
  'favicon-16x16.png',
  'favicon-32x32.png',
  'LICENSE',
  'NOTICE',
]

try {
  await ensureInstalled()
  rmSync(dist, { recursive: true, force: true })
  const status = await runProgram({ package: 'typescript', bin: 'tsc', args: ['--project', 'tsconfig.build.json'] })
  if (status !== 0) throw new Error('The compiler found errors; what it said stands above.')
  copyEverythingElse()
  for (const name of docsAssets) {
    cpSync(join(root, 'node_modules/swagger-ui-dist', name), join(dist, 'docs-assets', name))
  }
  await bundle(join(dist, 'main.js'), join(dist, 'bundle'))
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

/** The script and the style of the pages, which the bundle has. */
const clientFolder = join('console', 'client')

/** Hooks, templates and the like, with their permissions. */
function copyEverythingElse() {
  cpSync(join(root, 'src'), dist, {
    recursive: true,
    filter: (source) => !source.endsWith(clientFolder) && (statSync(source).isDirectory() || !/\.tsx?$/.test(source)),
  })
}
