/**
 * Joins the program's files into a few. Opening 1,500 files is the larger part of a start, and what the loader keeps of each
 * takes 40 MiB of memory together.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join, relative, sep } from 'node:path'
import { root } from './install.mjs'

/**
 * Packages that are joined as well, of a start from the sources: ES modules of many small files. All others are loaded from
 * `node_modules`.
 */
const joinedPackages = new Set(['citty', 'jose', 'kysely', 'typebox'])
/**
 * What the published package, which joins all others, loads from `node_modules`: grammars are found by their names; SSH finds files
 * beside itself, and has parts that npm compiles. `pg-native` is loaded by `pg` where it is installed, which it is not.
 */
export const loadedPackages = new Set(['highlight.js', 'pg-native', 'ssh2'])
const cache = join(root, '.cache')
/** A running server may load parts of an older bundle later. */
const retainedMs = 7 * 24 * 60 * 60 * 1000

/**
 * The program of the sources as they are now. It is joined again when they have changed.
 * @returns the path of its first file: that of the sources themselves where nothing may be written
 */
export async function bundledProgram() {
  const source = join(root, 'src', 'main.ts')
  const folder = join(cache, `bundle-${digestOfSources()}`)
  try {
    if (existsSync(folder)) utimesSync(folder, new Date(), new Date())
    else await makeBundle(source, folder)
    return join(folder, 'main.js')
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM', 'ENOSPC'].includes(error.code)) throw error
    return source
  }
}

/** What the joined files have in common. */
const joining = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  jsx: 'automatic',
  jsxImportSource: '#html',
  // V8 keeps the text of what is loaded. A comment with one character beyond Latin-1 doubles that of its whole file.
  minifyWhitespace: true,
  lineLimit: 160,
  logLevel: 'error',
}

/**
 * Joins the program's first file and all that it imports, into files in the folder `outdir`; and the script and the style of the
 * pages. Most packages are loaded from `node_modules`.
 * @throws Error when an import is missing
 */
export async function bundle(entry, outdir) {
  const { build, stop } = await import('esbuild')
  const built = build({
    ...joining,
    entryPoints: [entry],
    outdir,
    sourcemap: 'linked',
    sourcesContent: false,
    conditions: ['source'],
    plugins: [{ name: 'files', setup: (build) => setUp(build, outdir, (name) => joinedPackages.has(name)) }],
  })
  // The process that joins would live as long as this one.
  await Promise.all([built, bundleClient(build, outdir)]).finally(stop)
}

/**
 * Joins compiled files and all that they import, packages too, into files in the folder `outdir`; and the script and the style of
 * the pages.
 * @param entries paths of files by their names in `outdir`
 * @throws Error when an import is missing
 */
export async function bundleWhole(entries, outdir) {
  const { build, stop } = await import('esbuild')
  const built = build({
    ...joining,
    entryPoints: entries,
    outdir,
    legalComments: 'linked',
    // Packages of CommonJS ask for Node's own modules so.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    plugins: [{ name: 'files', setup: (build) => setUp(build, outdir, (name) => !loadedPackages.has(name)) }],
  })
  await Promise.all([built, bundleClient(build, outdir)]).finally(stop)
}

function bundleClient(build, outdir) {
  const source = join(root, 'src', 'console', 'client')
  return build({
    entryPoints: ['main.ts', 'style.css', 'icon.svg'].map((name) => join(source, name)),
    loader: { '.svg': 'copy' },
    outdir: join(outdir, 'console'),
    bundle: true,
    minify: true,
    format: 'esm',
    // The first that know `light-dark()`.
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    logLevel: 'error',
  })
}

/** The name of the package to which an import leads. */
const packageOf = (path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/')

/** A package that is loaded when it is first used. */
const requiredLater = /createRequire\(import\.meta\.url\)\('([^']+)'\)/g

function setUp(build, outdir, isJoined) {
  // Packages; Node's own modules among them. What begins with `#` is of the project itself.
  build.onResolve({ filter: /^[^./#]/ }, ({ path, kind }) => {
    const isWithin = kind === 'entry-point' || (!isBuiltin(path) && isJoined(packageOf(path)))
    return isWithin ? undefined : { path, external: true }
  })
  // A file that looks for others beside itself finds them where they are.
  build.onLoad({ filter: /\.(tsx?|js)$/ }, async ({ path }) => {
    if (path.includes('node_modules')) return undefined
    const address = JSON.stringify(relative(outdir, path).split(sep).join('/'))
    const text = await readFile(path, 'utf8')
    const joined = text.replaceAll(requiredLater, (all, name) =>
      isJoined(packageOf(name)) ? `require('${name}')` : all,
    )
    const contents = joined.replaceAll('import.meta.url', `new URL(${address}, import.meta.url).href`)
    return { contents, loader: path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'js' }
  })
}

/** Two starts at once make the same bundle twice; it is complete when it appears. */
async function makeBundle(source, folder) {
  // The first start on a fresh clone, by a Node that is not the pinned one, finds no such folder.
  mkdirSync(cache, { recursive: true })
  removeOld()
  const unfinished = mkdtempSync(join(cache, 'unfinished-'))
  try {
    await bundle(source, unfinished)
    renameSync(unfinished, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

function removeOld() {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name)
    const isOurs = name.startsWith('bundle-') || name.startsWith('unfinished-')
    if (isOurs && statSync(path).mtimeMs < Date.now() - retainedMs) rmSync(path, { recursive: true, force: true })
  }
}

/** What the bundle depends on: every source by its size and time, the packages, and this file. */
function digestOfSources() {
  const sources = readdirSync(join(root, 'src'), { recursive: true }).filter(
    (name) => /\.(tsx?|css|svg)$/.test(name) && !name.endsWith('.test.ts'),
  )
  const hash = createHash('sha256')
  for (const name of ['scripts/bundle.mjs', 'package-lock.json', ...sources.sort().map((name) => join('src', name))]) {
    const { size, mtimeMs } = statSync(join(root, name))
    hash.update(`${name} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 32)
}
