/**
 * Joins the program's files into a few. Opening 1,500 files is the larger part of a start, and what the loader keeps of each
 * takes 40 MiB of memory together.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { root } from './install.mjs'

/** Packages that are joined as well: ES modules of many small files. All others are loaded from `node_modules`. */
const joinedPackages = new Set(['citty', 'jose', 'kysely', 'typebox'])
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

/** Joins a file and all that it imports, into files in the folder `outdir`. @throws Error when an import is missing */
export async function bundle(entry, outdir) {
  const { build, stop } = await import('esbuild')
  const built = build({
    entryPoints: [entry],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    sourcemap: 'linked',
    sourcesContent: false,
    jsx: 'automatic',
    jsxImportSource: '#html',
    conditions: entry.endsWith('.ts') ? ['source'] : [],
    logLevel: 'error',
    plugins: [{ name: 'files', setup: (build) => setUp(build, outdir) }],
  })
  const source = join(root, 'src', 'console', 'client')
  const client = build({
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
  // The process that joins would live as long as this one.
  await Promise.all([built, client]).finally(stop)
}

function setUp(build, outdir) {
  // Packages; Node's own modules among them. What begins with `#` is of the project itself.
  build.onResolve({ filter: /^[^./#]/ }, ({ path, kind }) => {
    const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/')
    return kind === 'entry-point' || joinedPackages.has(name) ? undefined : { path, external: true }
  })
  // A file that looks for others beside itself finds them where they are.
  build.onLoad({ filter: /\.(tsx?|js)$/ }, async ({ path }) => {
    if (path.includes('node_modules')) return undefined
    const address = JSON.stringify(relative(outdir, path).split(sep).join('/'))
    const text = await readFile(path, 'utf8')
    const contents = text.replaceAll('import.meta.url', `new URL(${address}, import.meta.url).href`)
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
