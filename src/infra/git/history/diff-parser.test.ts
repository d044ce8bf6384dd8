import { describe, expect, test } from 'vitest'
import { type DiffLimits, diffParser } from './diff-parser.ts'

const limits: DiffLimits = {
  maxFiles: 100,
  maxLines: 1_000,
  maxPatchBytes: 1_000,
  maxKeptBytes: 10_000,
  maxReadBytes: 1_000_000,
}
const none = '0'.repeat(40)
const id = (digit: string) => digit.repeat(40)

const raw = (status: string, ...paths: string[]) =>
  `:100644 ${status === 'T' ? '120000' : '100644'} ${status === 'A' ? none : id('a')} ${status === 'D' ? none : id('b')} ${status}\0${paths.join('\0')}\0`
const section = (body: string) => `diff --git a/x b/x\nindex ${id('a')}..${id('b')} 100644\n--- a/x\n+++ b/x\n${body}`
const output = (lines: string[], sections: string[]) => Buffer.from(`${lines.join('')}\0${sections.join('')}`)

function parse(content: Buffer, options: Partial<DiffLimits> = {}, pieceBytes = content.length) {
  const parser = diffParser({ ...limits, ...options })
  for (let offset = 0; offset < content.length; offset += pieceBytes) {
    if (!parser.push(content.subarray(offset, offset + pieceBytes))) break
  }
  return parser.files()
}

describe('the output of diff-tree', () => {
  const modes = 'diff --git a/x b/x\nold mode 100644\nnew mode 100755\n'
  const binary = `diff --git a/x b/x\nindex ${id('a')}..${id('b')} 100644\nBinary files a/x and b/x differ\n`
  const removed = `diff --git a/x b/x\ndeleted file mode 100644\nindex ${id('a')}..${none}\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n`
  const content = output(
    [
      raw('M', 'one'),
      raw('R075', 'from', 'to'),
      raw('M', 'modes'),
      raw('M', 'bin'),
      raw('D', 'gone'),
      raw('A', 'empty'),
      raw('M', 'last'),
    ],
    [
      section('@@ -1 +1 @@\n-a\n+b\n'),
      `diff --git a/x b/x\nsimilarity index 75%\nrename from x\nrename to y\nindex 1..2 100644\n--- a/x\n+++ b/y\n@@ -1 +1 @@ diff\n diff --git a/q b/q\n-diff\n+@@ no\n@@ -9 +9 @@\n \n\\ No newline at end of file\n`,
      modes,
      binary,
      removed,
      `diff --git a/x b/x\nnew file mode 100644\nindex ${none}..${id('b')}\n`,
      section('@@ -1 +1 @@\n-ä\n+\u{1f98a}\n'),
    ],
  )

  test('has one section for each path', () => {
    const files = parse(content)
    expect(files.map(({ status, oldPath, newPath }) => `${status} ${oldPath} ${newPath}`)).toEqual([
      'modified one one',
      'renamed from to',
      'modified modes modes',
      'modified bin bin',
      'deleted gone gone',
      'added empty empty',
      'modified last last',
    ])
    expect(files.map(({ patch }) => patch)).toEqual([
      '@@ -1 +1 @@\n-a\n+b\n',
      '@@ -1 +1 @@ diff\n diff --git a/q b/q\n-diff\n+@@ no\n@@ -9 +9 @@\n \n\\ No newline at end of file\n',
      '',
      '',
      '@@ -1 +0,0 @@\n-x\n',
      '',
      '@@ -1 +1 @@\n-ä\n+\u{1f98a}\n',
    ])
    expect(files.map(({ binary }) => binary)).toEqual([false, false, false, true, false, false, false])
    expect(files.some(({ tooLarge }) => tooLarge)).toBe(false)
    expect(files[4]).toMatchObject({ oldOid: id('a'), newOid: null })
    expect(files[5]).toMatchObject({ oldOid: null, newOid: id('b') })
  })

  test('gives the same result for any division into chunks', () => {
    const whole = parse(content)
    for (let pieceBytes = 1; pieceBytes < 90; pieceBytes += 1) expect(parse(content, {}, pieceBytes)).toEqual(whole)
  })

  test('may have names of any bytes', () => {
    const name = Buffer.from([0xff, 0x0a, 0x09, 0x22, 0x3a, 0x5c])
    const [before, after] = [
      Buffer.from(raw('M', '')).subarray(0, -1),
      Buffer.from(`\0\0${section('@@ -1 +1 @@\n-a\n+b\n')}`),
    ]
    const [file] = parse(Buffer.concat([before, name, after]))
    expect(file).toMatchObject({ newPath: '\ufffd\n\t":\\', patch: '@@ -1 +1 @@\n-a\n+b\n' })
  })

  test('has two sections for a change of type', () => {
    const files = parse(
      output([raw('T', 'x'), raw('M', 'y')], [section('@@ 1\n'), section('@@ 2\n'), section('@@ 3\n')]),
    )
    expect(files.map(({ status, oldMode, newMode, patch }) => [status, oldMode, newMode, patch])).toEqual([
      ['deleted', '100644', '0', '@@ 1\n'],
      ['added', '0', '120000', '@@ 2\n'],
      ['modified', '100644', '100644', '@@ 3\n'],
    ])
  })

  test('may be empty', () => {
    expect(diffParser(limits).files()).toEqual([])
    expect(parse(Buffer.from('\0'))).toEqual([])
  })

  test('has bytes that are not UTF-8 replaced', () => {
    const patch = Buffer.from('@@ -1 +1 @@\n-\xff\n+\xe4\n', 'latin1')
    const [file] = parse(Buffer.concat([output([raw('M', 'x')], [section('')]), patch]))
    expect(file?.patch).toBe('@@ -1 +1 @@\n-\ufffd\n+\ufffd\n')
  })

  test.each(['fatal: no\0', ':1 2 3 4 M\0x\0', `:100644 100644 ${id('a')} ${id('b')}\0x\0`, '\xff\0'])(
    '%j is malformed',
    (text) => {
      expect(() => parse(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'command_failed' }))
    },
  )

  test('a name above the size limit is refused', () => {
    const parser = diffParser(limits)
    parser.push(Buffer.from(`:100644 100644 ${id('a')} ${id('b')} M\0`))
    const endless = () => {
      for (let count = 0; count < 100; count += 1) parser.push(Buffer.alloc(64 * 1024, 'n'))
    }
    expect(endless).toThrow(expect.objectContaining({ code: 'too_large' }))
  })
})

describe('limits', () => {
  const hunk = (bytes: number) => `@@ ${'x'.repeat(bytes - 4)}\n`

  test('leave out a patch that is too long, but not the next one', () => {
    const content = output(
      [raw('M', 'a'), raw('M', 'b'), raw('M', 'c')],
      [section(hunk(101)), section(hunk(100)), section(hunk(9))],
    )
    const files = parse(content, { maxPatchBytes: 100 })
    expect(files.map(({ tooLarge, patch }) => [tooLarge, patch.length])).toEqual([
      [true, 0],
      [false, 100],
      [false, 9],
    ])
    for (const pieceBytes of [1, 7, 50]) expect(parse(content, { maxPatchBytes: 100 }, pieceBytes)).toEqual(files)
  })

  test('leave out all patches after the total size is exceeded', () => {
    const names = ['a', 'b', 'c', 'd']
    const content = output(
      names.map((name) => raw('M', name)),
      names.map(() => section(hunk(100))),
    )
    for (const pieceBytes of [1, 10, 100, content.length]) {
      const files = parse(content, { maxKeptBytes: 250 }, pieceBytes)
      expect(files.map(({ newPath, tooLarge, patch }) => [newPath, tooLarge, patch.length])).toEqual([
        ['a', false, 100],
        ['b', false, 100],
        ['c', true, 0],
        ['d', true, 0],
      ])
    }
  })

  test('leave out all patches after the total number of lines is exceeded', () => {
    const content = output(
      [raw('M', 'a'), raw('M', 'b'), raw('M', 'c')],
      [section('@@ 1\n+x\n'), section('@@ 2\n+x\n+y\n'), section('@@ 3\n')],
    )
    for (const pieceBytes of [1, 10, content.length]) {
      const isShown = (maxLines: number) => parse(content, { maxLines }, pieceBytes).map(({ tooLarge }) => !tooLarge)
      expect([isShown(6), isShown(5), isShown(4), isShown(1)]).toEqual([
        [true, true, true],
        [true, true, false],
        [true, false, false],
        [false, false, false],
      ])
    }
  })

  test('bound the number of files, and stop reading', () => {
    const names = ['a', 'b', 'c']
    const parser = diffParser({ ...limits, maxFiles: 2 })
    expect(
      parser.push(
        output(
          names.map((name) => raw('M', name)),
          [section(hunk(9)), section(hunk(9))],
        ),
      ),
    ).toBe(true)
    expect(parser.push(Buffer.from(section(hunk(9))))).toBe(false)
    expect(parser.files().map(({ newPath, patch }) => [newPath, patch.length])).toEqual([
      ['a', 9],
      ['b', 9],
    ])
    expect(parse(output([raw('T', 'x'), raw('M', 'y')], []), { maxFiles: 1 })).toHaveLength(1)
    expect(parse(output([raw('M', 'x')], [section(hunk(9))]), { maxFiles: 0 })).toEqual([])
  })

  test('bound memory: data of omitted patches is not held', () => {
    const parser = diffParser({ ...limits, maxPatchBytes: 200_000, maxReadBytes: 1e9 })
    parser.push(output([raw('M', 'a'), raw('M', 'b')], [section('@@\n')]))
    const held = () => process.memoryUsage().arrayBuffers
    const before = held()
    let most = 0
    for (let count = 0; count < 8_000; count += 1) {
      parser.push(Buffer.alloc(64 * 1024, '+ line\n'))
      most = Math.max(most, held() - before)
    }
    // Half a gigabyte was parsed; garbage collection may be late, but not by that much.
    expect(most).toBeLessThan(250_000_000)
    parser.push(Buffer.from(`\n${section(hunk(9))}`))
    expect(parser.files().map(({ tooLarge, patch }) => [tooLarge, patch.length])).toEqual([
      [true, 0],
      [false, 9],
    ])
  })

  test('stop reading an endless patch', () => {
    const parser = diffParser({ ...limits, maxReadBytes: 1_000_000 })
    parser.push(output([raw('M', 'a'), raw('M', 'b')], [section('@@\n')]))
    let count = 0
    while (parser.push(Buffer.alloc(64 * 1024, '+'))) count += 1
    expect(count).toBeLessThan(20)
    expect(parser.files().map(({ tooLarge }) => tooLarge)).toEqual([true, true])
  })
})
