/** Rules about the text of source files. The layers are in `.dependency-cruiser.mjs`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript-6'
import { describe, expect, test } from 'vitest'

type SourceFile = { path: string; lines: number; code: string }

const root = fileURLToPath(new URL('..', import.meta.url))
const files = readSources('src')
const forTests = /(\.test|testing|fixture[a-z-]*|suite[a-z-]*)\.tsx?$|^src\/testing\//
const product = files.filter((file) => !forTests.test(file.path))
const lengths = product.map((file) => file.lines).sort((a, b) => a - b)
const maximalLines = 400
const maximalFiles = 15
const maximalFunctionLines = 100

function readSources(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => readSource(join(entry.parentPath, entry.name)))
}

function readSource(path: string): SourceFile {
  const text = readFileSync(path, 'utf8')
  return {
    path: relative(root, path).replaceAll('\\', '/'),
    lines: text.split('\n').length - 1,
    code: withoutComments(text),
  }
}

/** Comments may name what code may not use. A `//` inside a string, as in an address, follows no blank and stays. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
}

/** The files that contain `pattern` and are not allowed to. */
function offenders(pattern: RegExp, allowed: RegExp = /$^/): string[] {
  return product.filter((file) => pattern.test(file.code) && !allowed.test(file.path)).map((file) => file.path)
}

/** The folders that hold more than `maximalFiles` of these files, not counting those of folders below. */
function largeFolders(of: readonly SourceFile[]): string[] {
  const byFolder = Map.groupBy(of, ({ path }) => dirname(path))
  return [...byFolder]
    .filter(([, held]) => held.length > maximalFiles)
    .map(([folder, held]) => `${folder}: ${held.length}`)
}

function atQuantile(share: number): number {
  return lengths[Math.max(0, Math.ceil(lengths.length * share) - 1)] ?? 0
}

describe('nothing is ambient', () => {
  test('only the configuration and the command line read the environment', () => {
    // The files of the projects of the demo are texts.
    expect(offenders(/\bprocess\.env\b/, /^src\/(config\.ts|main\.ts|cli\/|demo\/world\/)/)).toEqual([])
  })

  test('the time comes from the clock', () => {
    // The script of pages runs in browsers.
    const allowed = /^src\/(config\.ts|main\.ts|cli\/|infra\/clock\/|console\/client\/)/
    expect(offenders(/\bDate\.now\(|\bnew Date(\(\)|(?!\w|\())/, allowed)).toEqual([])
  })
})

describe('a file', () => {
  test(`has at most ${maximalLines} lines`, () => {
    console.info(`${lengths.length} files; median ${atQuantile(0.5)} lines, nine in ten at most ${atQuantile(0.9)}`)
    const tooLong = product.filter((file) => file.lines > maximalLines).map((file) => `${file.path}: ${file.lines}`)
    expect(tooLong).toEqual([])
  })

  test('exports names, no default', () => {
    expect(offenders(/^export default\b|^export \{[^}]*\bas default\b/m)).toEqual([])
  })

  test('leaves nothing to be done', () => {
    const marked = files.filter((file) => /\b(TODO|FIXME)\b/.test(readFileSync(join(root, file.path), 'utf8')))
    expect(marked.map((file) => file.path)).toEqual([])
  })

  test('has a name in kebab-case', () => {
    const ill = files.filter(({ path }) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.tsx?$/.test(basename(path)))
    const drawers = files.filter(({ path }) => /^(utils?|helpers?|common|misc|shared)(\.ts)?$/.test(basename(path)))
    expect([...ill, ...drawers].map((file) => file.path)).toEqual([])
  })
})

describe('a folder', () => {
  test(`holds at most ${maximalFiles} files, tests aside`, () => {
    expect(largeFolders(product)).toEqual([])
  })
})

/** An arrow function that returns a list as it is written, such as the operations of projects and groups: it has no steps. */
const isList = (node: ts.Node) => ts.isArrowFunction(node) && ts.isArrayLiteralExpression(node.body)

/** The functions of a file that are longer than `maximalFunctionLines`, each where it begins. */
function longFunctions({ path, lines }: SourceFile): string[] {
  // Nothing in a shorter file can be longer.
  if (lines <= maximalFunctionLines) return []
  const parsed = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest)
  const lineAt = (position: number) => parsed.getLineAndCharacterOfPosition(position).line + 1
  const long: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && !isList(node)) {
      const [first, last] = [lineAt(node.getStart(parsed)), lineAt(node.end)]
      if (last - first >= maximalFunctionLines) long.push(`${path}:${first}: ${last - first + 1}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  return long
}

describe('a function', () => {
  test(`has at most ${maximalFunctionLines} lines`, () => {
    expect(product.flatMap(longFunctions)).toEqual([])
  })
})

/** Forms of code that copy what was gathered so far for each new item, so that their time is quadratic. */
const copiesOfGathered = [
  // [...(groups[key] ?? []), value]
  /\[\s*\.\.\.\(\s*[\w.]+(?:\[[^\]]+\]|\.get\((?:[^()]|\([^()]*\))*\))\s*\?\?\s*\[\]\s*\)\s*,/,
  // reduce((all, one) => [...all, one]), and the same of an object, of an array that is written last, and in a body
  /\breduce(?:<[^;(]*>)?\(\s*\(\s*(\w+)\b[^=]*=>\s*(?:\(\s*|\{\s*return\s*)?[{[](?:[^[\]{};]*,)?\s*\.\.\.\1\b/,
  // reduce((all, one) => all.concat(one))
  /\breduce(?:<[^;(]*>)?\(\s*\(\s*(\w+)\b[^=]*=>\s*(?:\{\s*return\s*)?\1\.concat\(/,
  // all = [...all, one], also of a member
  /(?<![\w.])([\w.]+(?:\[[^\]]*\])?) = \[\s*\.\.\.\1\s*,/,
  // all = { ...all, [key]: one }
  /(?<![\w.])([\w.]+) = \{\s*\.\.\.\1\s*,[^}]*\[[^\]]*\]\s*:/,
]

describe('a loop', () => {
  const refused = [
    'groups[key] = [...(groups[key] ?? []), value]',
    'found.set(keyOf(one), [...(found.get(keyOf(one)) ?? []), one])',
    'items.reduce((all, one) => [...all, one], [])',
    'items.reduce<Record<string, number>>((all, { key, value }) => ({ ...all, [key]: value }), {})',
    'items.reduce((all: number[], one) => {\n  return [...all, one]\n}, [])',
    'items.reduce((all, one) => [one, ...all], [])',
    'items.reduce((all, one) => all.concat(one), [])',
    'all = [...all, one]',
    'this.all = [\n  ...this.all,\n  one,\n]',
    'all = { ...all, [key]: value }',
  ]
  const permitted = [
    'const all = [...(labels ?? []), ...others]',
    'known = [...((await idsOf(db)).get(id) ?? [])]',
    'items.reduce((sum, one) => sum + one, 0)',
    'const all = [...others, one]',
    'gap = { ...gap, after: gap.after - 1 }',
    'allOthers = [...all, one]',
  ]
  test.each(refused)('that copies what it has gathered is known: %s', (code) => {
    expect(copiesOfGathered.some((form) => form.test(code))).toBe(true)
  })

  test.each(permitted)('is left alone otherwise: %s', (code) => {
    expect(copiesOfGathered.filter((form) => form.test(code))).toEqual([])
  })

  test('gathers in place, as `infra/grouping` does', () => {
    const copying = (file: SourceFile) => copiesOfGathered.some((form) => form.test(file.code))
    const mayCopy = /(^|\/)[a-z-]*testing\.ts$/
    expect(files.filter((file) => copying(file) && !mayCopy.test(file.path)).map(({ path }) => path)).toEqual([])
  })
})

test('what a test waits for has more time than the second of `vi.waitFor`', () => {
  const impatient = (node: ts.Node): boolean =>
    (ts.isCallExpression(node) &&
      /^vi\.wait(For|Until)$/.test(node.expression.getText()) &&
      node.arguments.length < 2) ||
    (ts.forEachChild(node, impatient) ?? false)
  const waiting = [...files, ...readSources('tests')].filter(({ code }) => /\bvi\.wait/.test(code))
  const parsed = waiting.map(({ path, code }) => ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true))
  expect(parsed.filter(impatient).map(({ fileName }) => fileName)).toEqual([])
})

describe('a stream', () => {
  test('is created in a call of `handled`, so that no error of it ends the process', () => {
    const made =
      'create(?:Read|Write)Stream|create(?:Gzip|Gunzip|Unzip|Inflate|Deflate|Brotli|Zstd)\\w*|' +
      'new (?:PassThrough|Readable|Writable|Transform|Duplex)|(?:Readable|Writable|Duplex)\\.(?:from|fromWeb)'
    const bare = new RegExp(`(?<!\\bhandled\\(\\s*)(?<![\\w.])(?:\\w+\\.)*(?:${made})\\(`)
    expect(offenders(bare, /^src\/infra\/streams\//)).toEqual([])
    expect(['createGzip()', 'file.createReadStream()', 'new PassThrough()'].filter((code) => !bare.test(code))).toEqual(
      [],
    )
    expect(['handled(createGzip())', 'handled(\n  file.createReadStream())'].filter((code) => bare.test(code))).toEqual(
      [],
    )
  })
})

describe('a query', () => {
  test('is in the store of a module', () => {
    const query =
      /\b(selectFrom|selectNoFrom|insertInto|replaceInto|updateTable|deleteFrom|mergeInto)\(|(?<!\.)\bsql(<|`|\.[a-z]+\()/
    const elsewhere =
      /^src\/(api|infra)\/|^src\/(modules|platform)\/([^/]+\/){1,2}store(\.ts$|\/)|^src\/modules\/.*triggers\.ts$/
    expect(offenders(query, elsewhere)).toEqual([])
  })
})

describe('what a file exports', () => {
  /** Each name with the number of files, tests included, that contain it. */
  const filesByName = new Map<string, number>()
  for (const { code } of [...files, ...readSources('tests'), ...readSources('bench')]) {
    for (const name of new Set(code.match(/\w+/g))) filesByName.set(name, (filesByName.get(name) ?? 0) + 1)
  }

  test('is used: a name that stands in one file alone stands there twice', () => {
    // The operations of a module are mounted together, by no name; the compiler writes the names of the runtime of JSX; and the files of
    // the projects of the demo are texts.
    const exporting = product.filter(
      ({ path }) =>
        !/^src\/demo\/world\/|\/operations(\/|\.ts$)|\/operations-|-operations\.ts$|\/jsx-runtime\.ts$/.test(path),
    )
    const unused = exporting.flatMap(({ path, code }) =>
      [...code.matchAll(/^export (?:async )?(?:function\*?|const|type|class) (\w+)/gm)]
        .map(([, name = '']) => name)
        .filter((name) => filesByName.get(name) === 1 && code.match(new RegExp(`\\b${name}\\b`, 'g'))?.length === 1)
        .map((name) => `${path}: ${name}`),
    )
    expect(unused).toEqual([])
  })

  test('is named in an index when another part imports it, and not before', () => {
    const imported = new Map<string, Set<string>>()
    const whole = new Set<string>()
    for (const { path, code } of [...files, ...readSources('tests'), ...readSources('bench')]) {
      for (const [, clause = '', from = ''] of code.matchAll(
        /(?:import|export)\b([^'"]*?)from '(\.[^']*\/(?:index|operations)\.ts)'/g,
      )) {
        const index = relative(root, join(root, dirname(path), from)).replaceAll('\\', '/')
        if (clause.includes('*')) whole.add(index)
        const names = imported.get(index) ?? new Set()
        for (const name of clause.match(/\w+/g) ?? []) names.add(name)
        imported.set(index, names)
      }
    }
    const indexes = product.filter(
      ({ path }) =>
        (path.endsWith('/index.ts') || path === 'src/console/operations.ts') &&
        path !== 'src/index.ts' &&
        !whole.has(path),
    )
    const unused = indexes.flatMap(({ path, code }) =>
      [...code.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
        .flatMap(([, names = '']) => names.split(','))
        .map(
          (name) =>
            name
              .split(' as ')
              .at(-1)
              ?.replace(/\btype /, '')
              .trim() ?? '',
        )
        .filter((name) => name !== '' && !imported.get(path)?.has(name))
        .map((name) => `${path}: ${name}`),
    )
    expect(unused).toEqual([])
  })
})

describe('a module', () => {
  const folder = join(root, 'src/modules')
  // An empty folder is nothing yet: git does not keep it either.
  const modules = (existsSync(folder) ? readdirSync(folder) : [])
    .map((name) => ({ name, entries: readdirSync(join(folder, name), { withFileTypes: true }) }))
    .filter(({ entries }) => entries.length > 0)

  test('is a folder with an index', () => {
    const without = modules.filter(({ entries }) => !entries.some((entry) => entry.name === 'index.ts'))
    expect(without.map(({ name }) => name)).toEqual([])
  })

  test.each(['operations', 'store'])(
    'keeps its %s in one file, or in a folder of that name when they are many',
    (what) => {
      const named = [`${what}.ts`, what]
      const both = modules.filter(({ entries }) => named.every((name) => entries.some((entry) => entry.name === name)))
      expect(both.map(({ name }) => name)).toEqual([])
    },
  )

  test(`has at most ${maximalFiles} files in each of its folders, tests included`, () => {
    expect(largeFolders(files.filter(({ path }) => path.startsWith('src/modules/')))).toEqual([])
  })
})
