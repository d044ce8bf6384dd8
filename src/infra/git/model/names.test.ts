import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { main, runGit } from '../testing.ts'
import {
  branchRef,
  diskPath,
  isZeroOid,
  newDiskPath,
  parseOid,
  refName,
  shortRefName,
  tagRef,
  treePath,
  zeroOid,
} from './names.ts'

describe('object ids', () => {
  test('are 40 or 64 lowercase hexadecimal digits', () => {
    expect(parseOid('a'.repeat(40))).toBe('a'.repeat(40))
    expect(parseOid('0'.repeat(64))).toBe('0'.repeat(64))
    const wrong = [
      '',
      'A'.repeat(40),
      'a'.repeat(39),
      'a'.repeat(41),
      `${'a'.repeat(40)}\n`,
      `-${'a'.repeat(39)}`,
      'HEAD',
    ]
    for (const text of wrong) expect(parseOid(text)).toBeNull()
  })

  test('have a null id for each format', () => {
    expect(isZeroOid(zeroOid())).toBe(true)
    expect(isZeroOid(zeroOid('sha256'))).toBe(true)
    expect(zeroOid('sha256')).toHaveLength(64)
  })
})

/** Short texts over the characters that the rules are about, and some that they are not about. */
const refText = fc
  .array(
    fc.constantFrom(
      ...[
        'a',
        'b',
        '1',
        '/',
        '/',
        '.',
        '..',
        '.lock',
        '@',
        '{',
        '@{',
        '-',
        '~',
        '^',
        ':',
        '?',
        '*',
        '[',
        '\\',
        ' ',
        '\t',
      ],
      ...[
        '\n',
        '\u007f',
        '\u0001',
        'HEAD',
        'refs',
        'heads',
        'é',
        '💚',
        "'",
        '"',
        '$(x)',
        ';',
        '|',
        '#',
        '%',
        '\u00a0',
        ']',
        '}',
      ],
    ),
    { minLength: 0, maxLength: 7 },
  )
  .map((parts) => parts.join(''))

describe('ref names', () => {
  test('follow the rules of git check-ref-format', async () => {
    await fc.assert(
      fc.asyncProperty(refText, async (text) => {
        const ref = `refs/${text}`
        const { exitCode } = await runGit(['check-ref-format', ref])
        expect({ ref, legal: refName(ref) !== null }).toEqual({ ref, legal: exitCode === 0 })
      }),
      { numRuns: 150 },
    )
  })

  test('always begin with refs/', () => {
    for (const text of [
      '',
      'HEAD',
      'main',
      'heads/main',
      'refs',
      'refs/',
      '/refs/heads/a',
      '-refs/heads/a',
      'Refs/a',
    ]) {
      expect(refName(text)).toBeNull()
    }
  })

  test('are bounded, and well-formed Unicode', () => {
    expect(refName(`refs/heads/${'a'.repeat(255)}`)).not.toBeNull()
    expect(refName(`refs/heads/${'a'.repeat(256)}`)).toBeNull()
    expect(refName(`refs/heads/${'é'.repeat(128)}`)).toBeNull()
    expect(refName(`refs/heads/${'a/'.repeat(511)}ab`)).not.toBeNull()
    expect(refName(`refs/heads/${'a/'.repeat(512)}a`)).toBeNull()
    expect(refName('refs/heads/\ud800')).toBeNull()
    expect(refName('refs/heads/a\0b')).toBeNull()
  })

  test('a hostile name is refused in linear time', { timeout: 2_000 }, () => {
    for (const text of ['refs/'.repeat(200_000), `refs/${'.'.repeat(1_000_000)}`, `refs/${'@'.repeat(1_000_000)}{`]) {
      expect(refName(text)).toBeNull()
    }
  })
})

describe('branch and tag names', () => {
  test.each(['main', 'a/b', 'Ä/ö', '💚', 'a.b', 'x@y', '@a', "it's", '#1', 'refs/x', 'heads/a', 'a-', '0'.repeat(40)])(
    '%j is legal',
    (name) => {
      expect(branchRef(name)).toBe(`refs/heads/${name}`)
      expect(tagRef(name)).toBe(`refs/tags/${name}`)
    },
  )

  test.each([
    ...[
      '',
      'HEAD',
      '@',
      '-a',
      '--exec=id',
      'refs/heads/a',
      'refs/remotes/o/a',
      'a..b',
      'a@{1}',
      'a//b',
      '/a',
      'a/',
      'a.',
      '.a',
    ],
    ...[
      'a/.b',
      'a.lock',
      'a.lock/b',
      'a b',
      'a\tb',
      'a\nb',
      'a~1',
      'a^',
      'a:b',
      'a?',
      'a*',
      'a[',
      'a\\b',
      'a\u007f',
      'a\0',
    ],
    ...['a/../b', '../a', 'x'.repeat(256), `${'a/'.repeat(512)}a`],
  ])('%j is illegal', (name) => {
    expect(branchRef(name)).toBeNull()
    expect(tagRef(name)).toBeNull()
  })

  test('a ref has a short name', () => {
    expect(shortRefName(main)).toBe('main')
    expect(shortRefName(refName('refs/tags/v1')!)).toBe('v1')
    expect(shortRefName(refName('refs/notes/x')!)).toBe('refs/notes/x')
  })
})

describe('paths in a tree', () => {
  test.each([
    'a',
    'a/b',
    '.gitignore',
    '.gitmodules',
    'a b',
    'a\nb',
    '..a',
    'a..',
    '.github/x',
    'git~2',
    'a\\b',
    '-x',
    '💚',
  ])('%j is legal', (path) => {
    expect(treePath(path)).toBe(path)
  })

  test.each([
    ...['', '/', '/a', 'a/', 'a//b', '.', '..', 'a/..', '../a', 'a/./b', 'a\0b', '\ud800', 'a'.repeat(4_097)],
    ...[
      '.git',
      '.GIT',
      'a/.git',
      '.git/config',
      '.Git/hooks/x',
      'git~1',
      'GIT~1/x',
      '.git ',
      '.git.',
      '.git . ',
      '.git::$INDEX_ALLOCATION',
    ],
    ...['.g\u200cit', '.gi\u200dt/x', '\ufeff.git', 'a\\.git\\config', '.git\\x', 'x/.git...'],
  ])('%j is illegal', (path) => {
    expect(treePath(path)).toBeNull()
  })
})

describe('disk paths', () => {
  test('are random, and are parsed from storage', () => {
    const paths = Array.from({ length: 100 }, newDiskPath)
    expect(new Set(paths).size).toBe(100)
    for (const path of paths) expect(diskPath(path)).toBe(path)
  })

  test('other paths are refused', () => {
    const path = `@hashed/6b/86/6b86${'0'.repeat(60)}.git`
    expect(diskPath(path)).toBe(path)
    const wrong = ['', '../x.git', `/${path}`, `${path}/..`, path.replace('6b/86', '6b/87'), `x/${path}`, `${path}\n`]
    for (const text of wrong) expect(diskPath(text)).toBeNull()
  })
})
