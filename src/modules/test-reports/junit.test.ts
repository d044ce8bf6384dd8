import { describe, expect, onTestFinished, test } from 'vitest'
import { bounds, JunitProblem, readJunit, type TestCase } from './junit.ts'

async function* piecesOf(text: string | Buffer, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function casesOf(text: string | Buffer, size = 7): Promise<TestCase[]> {
  const found: TestCase[] = []
  for await (const cases of readJunit(piecesOf(text, size))) found.push(...cases)
  return found
}

const problemOf = (text: string | Buffer, size = 65_536) =>
  casesOf(text, size).then(
    () => 'none',
    (error) => (error instanceof JunitProblem ? error.message : `other: ${error}`),
  )

const passed = { status: 'success', name: 'a', classname: null, file: null, seconds: 0, output: null, attachment: null }

describe('a report', () => {
  test('has the cases of all suites, however deep', async () => {
    const report = `<?xml version="1.0" encoding="UTF-8"?>
      <testsuites><!-- a comment --><testsuite name="x"><testsuite><properties><property name="p"/></properties>
        <testcase name="a"/></testsuite><testcase name="b" classname="c" file="f.rb" time="1,234.5"></testcase>
      </testsuite></testsuites>`
    expect(await casesOf(report)).toEqual([
      passed,
      { ...passed, name: 'b', classname: 'c', file: 'f.rb', seconds: 1234.5 },
    ])
    expect(await casesOf('<testsuite><testcase name="a"/></testsuite>')).toEqual([passed])
    expect(await casesOf('<testsuites/>')).toEqual([])
  })

  test('says how cases ended: failures before errors before skipping', async () => {
    const bodies = [
      '<failure message="m">text &lt;&amp;&#33; <![CDATA[<raw>]]></failure>',
      '<error message="m"> \n </error>',
      '<skipped/>',
      '<skipped/><error/><failure message="f"/>',
      '<system-out>a</system-out><other><failure/></other>',
    ]
    const report = `<testsuite>${bodies.map((body) => `<testcase name="a">${body}</testcase>`).join('')}</testsuite>`
    expect((await casesOf(report)).map(({ status, output }) => [status, output])).toEqual([
      ['failed', 'text <&! <raw>'],
      ['error', 'm'],
      ['skipped', null],
      ['failed', 'f'],
      ['success', null],
    ])
  })

  test('names the attachment of a case that failed', async () => {
    const body = '<system-out>x [[ATTACHMENT|tmp/a b.png]] [[ATTACHMENT|c]]</system-out>'
    const report = `<testsuite><testcase name="a"><failure/>${body}</testcase><testcase name="b">${body}</testcase></testsuite>`
    expect((await casesOf(report)).map(({ attachment }) => attachment)).toEqual(['tmp/a b.png', null])
  })

  test.each(['', '-1', 'x', 'NaN', 'Infinity', '1e400', '0x'])('takes the time %j for none', async (time) => {
    const [one] = await casesOf(`<testsuite><testcase time="${time}"/></testsuite>`)
    expect([one?.seconds, one?.name]).toEqual([0, '(No name)'])
  })

  test('may be of several documents, as runners put files together', async () => {
    const one = '<?xml version="1.0"?>\n<testsuite><testcase name="a"/></testsuite>\n'
    expect(await casesOf(one + one)).toEqual([passed, passed])
  })

  test('has names such as those of members of objects, and any letters', async () => {
    const report = '<testsuite><testcase name="__proto__" classname="ключ 🦊 \u0001"/></testsuite>'.replace(
      '\u0001',
      '',
    )
    expect((await casesOf(report, 1))[0]).toMatchObject({ name: '__proto__', classname: 'ключ 🦊 ' })
    expect(await casesOf('<testsuite><testcase/></testsuite>')).toMatchObject([{ classname: null, file: null }])
  })
})

describe('what is no report is a problem in words', () => {
  const inSuite = (text: string) => `<testsuite>${text}</testsuite>`
  test.each<[string, RegExp]>([
    ['<testsuite>', /^JUnit XML parsing failed: Unexpected close tag|Unmatched/],
    ['<testsuite></testsuites>', /^JUnit XML parsing failed: /],
    ['no xml', /^none$/],
    ['<html/>', /^JUnit data parsing failed: the root is html$/],
    [inSuite('<testcase name=a/>'), /^JUnit XML parsing failed: /],
    [inSuite('&unknown;'), /^JUnit XML parsing failed: Invalid character entity/],
    ['<testsuite', /^JUnit XML parsing failed: /],
    [inSuite('</testsuite></fennec-reports><testsuite>'), /^JUnit XML parsing failed: /],
    [`<testsuite>${'<a>'.repeat(101)}`, /^JUnit data parsing failed: more than 100 levels$/],
    [inSuite(`<testcase name="${'x'.repeat(3 * 1024 * 1024)}"/>`), /^JUnit XML parsing failed: Max buffer length/],
    ['<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&b;"/></testsuite>', /XML/],
    [
      `<!DOCTYPE lolz [<!ENTITY a "x">${'bcdefghij'
        .split('')
        .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghi'[index]};`.repeat(10)}">`)
        .join('')}]><testsuite><testcase name="&j;"/></testsuite>`,
      /^JUnit XML parsing failed: /,
    ],
  ])('%.60s', async (text, expected) => {
    expect(await problemOf(text)).toMatch(expected)
    expect(await problemOf(text, 3)).toMatch(expected)
  })

  test('bytes that are no text are read as such', async () => {
    const bytes = Buffer.concat([
      Buffer.from('<testsuite><testcase name="'),
      Buffer.from([0xff]),
      Buffer.from('"/></testsuite>'),
    ])
    expect((await casesOf(bytes))[0]?.name).toBe('\ufffd')
  })

  test('too many bytes and cases are refused, and long outputs are cut', async () => {
    async function* endless(piece: string) {
      yield Buffer.from('<testsuite>')
      for (;;) yield Buffer.from(piece)
    }
    const usual = { ...bounds }
    onTestFinished(() => {
      Object.assign(bounds, usual)
    })
    Object.assign(bounds, { bytes: 1_000_000, cases: 1_000 })
    const read = async (piece: string) => {
      for await (const _ of readJunit(endless(piece)));
    }
    await expect(read(' '.repeat(65_536))).rejects.toThrow('more than 1000000 bytes')
    await expect(read('<testcase/>'.repeat(100))).rejects.toThrow('more than 1000 test cases')
    Object.assign(bounds, usual)
    const long = `<testsuite><testcase><failure>${'x'.repeat(2 * bounds.output)}</failure></testcase></testsuite>`
    expect((await casesOf(long, 65_536))[0]?.output).toHaveLength(bounds.output)
  })
})
