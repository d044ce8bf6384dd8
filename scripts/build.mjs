/**
 * `npm run build`: makes `dist/`, the program of the published package. It is joined with all packages that it needs, so that an
 * installation is small and no other package can change it. `npm start` needs none of it: it joins the sources itself.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { bundleWhole } from './bundle.mjs'
import { ensureInstalled, root } from './install.mjs'
import { runFile, runProgram } from './programs.mjs'

const dist = join(root, 'dist')
/** Files of the reference pages. */
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
/** The modules whose types are published: what `index.ts` names, which needs no other package. */
const typedModules = ['index', 'fennec', 'infra/clock/index']

/** Besides the program and the module: what processes and threads of their own run, found by their places in the sources. */
const ownPrograms = /(^|\/)(thread-program|spawner-process|relay-program)\.js$/

/** The script and the style of the pages, which the bundle has. */
const clientFolder = join('console', 'client')

try {
  await ensureInstalled()
  rmSync(dist, { recursive: true, force: true })
  // `npm run check` checks the types.
  const args = ['--project', 'tsconfig.build.json', '--noCheck']
  const status = await runProgram({ package: 'typescript', bin: 'tsc', args })
  if (status !== 0) throw new Error('The compiler found errors; what it said stands above.')
  // Installed by now.
  const { default: ts } = await import('typescript-6')
  for (const name of typedModules) writeTypes(ts, name)
  copyEverythingElse()
  for (const name of docsAssets) {
    cpSync(join(root, 'node_modules/swagger-ui-dist', name), join(dist, 'docs-assets', name))
  }
  await joinPrograms()
  await makeEmptyDatabase()
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

/** Writes the types of one module from its text alone. Those of all modules take the compiler ten times as long as the program. */
function writeTypes(ts, name) {
  const fileName = `${name}.ts`
  const text = readFileSync(join(root, 'src', fileName), 'utf8')
  const compilerOptions = { target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.NodeNext, isolatedDeclarations: true }
  const { outputText, diagnostics } = ts.transpileDeclaration(text, {
    fileName,
    reportDiagnostics: true,
    compilerOptions,
  })
  const problems = diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  if (problems.length > 0) throw new Error(`${fileName}: ${problems.join('; ')}`)
  writeFileSync(join(dist, `${name}.d.ts`), outputText)
}

/** Hooks, templates and the like, with their permissions. */
function copyEverythingElse() {
  cpSync(join(root, 'src'), dist, {
    recursive: true,
    filter: (source) =>
      !source.endsWith(clientFolder) && (statSync(source).isDirectory() || !/\.(tsx?|md)$/.test(source)),
  })
}

/** Replaces the compiled files by joined ones. Those that are looked for at their places are there, and load the joined ones. */
async function joinPrograms() {
  const compiled = readdirSync(dist, { recursive: true }).filter(
    (name) => name.endsWith('.js') && !name.startsWith('docs-assets'),
  )
  const programs = ['main.js', 'index.js', ...compiled.filter((name) => ownPrograms.test(name))]
  const nameOf = (program) => program.slice(0, -'.js'.length).replaceAll('/', '-')
  const entries = Object.fromEntries(programs.map((program) => [nameOf(program), join(dist, program)]))
  await bundleWhole(entries, join(dist, 'bundle'))
  for (const name of compiled) rmSync(join(dist, name))
  for (const program of programs.filter((name) => ownPrograms.test(name))) {
    const joined = relative(dirname(program), join('bundle', `${nameOf(program)}.js`))
    writeFileSync(join(dist, program), `import '${joined}'\n`)
  }
  removeEmptyFolders(dist)
}

/** Makes the database as whose copy a server's first one begins (`src/migrations`): by the program, so that it has its migrations. */
async function makeEmptyDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'fennec-build-'))
  try {
    const path = join(folder, 'empty.sqlite')
    const env = { FENNEC_DATA: folder, FENNEC_DATABASE_URL: `sqlite:${path}` }
    const status = await runFile(join(dist, 'bundle', 'main.js'), { args: ['migrate'], env })
    if (status !== 0) throw new Error('The empty database could not be made; what the program said stands above.')
    // Not with the mode of a server's own.
    writeFileSync(join(dist, 'migrations', 'empty.sqlite'), readFileSync(path))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const path = join(folder, entry.name)
    removeEmptyFolders(path)
    if (readdirSync(path).length === 0) rmdirSync(path)
  }
}
