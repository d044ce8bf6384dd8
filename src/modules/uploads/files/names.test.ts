import { describe, expect, test } from 'vitest'
import { safeFileName } from './file-name.ts'
import { alternativeText, isEmbeddable, markdownLink, mediaTypeOf, safetyHeaders } from './media-types.ts'

describe('a file name', () => {
  test.each([
    ['dk.png', 'dk.png'],
    ['notes v1.txt', 'notes_v1.txt'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\x\\y.png', 'y.png'],
    ['a b#?.png', 'a_b__.png'],
    ['résumé.pdf', 'résumé.pdf'],
    ['re\u0301sume\u0301.pdf', 're\u0301sume\u0301.pdf'],
    ['日本語 (1).txt', '日本語__1_.txt'],
    ['١٢٣-a+b.txt', '١٢٣-a+b.txt'],
    // Fractions, Roman numbers and emoji are no decimal digits.
    ['½Ⅷ🦊.txt', '___.txt'],
    ['a‿b', 'a‿b'],
    ['\u202egnp.exe', '_gnp.exe'],
    ['a\u0000b\r\nc', 'a_b__c'],
    ['\ud83dx', 'x'],
    ['x\ufffd', 'x'],
    ['.', '_.'],
    ['..', '_..'],
    ['a/..', '_..'],
    ['a/', 'unnamed'],
    ['', 'unnamed'],
    ['.git', '.git'],
    ['a\nb](x).md', 'a_b__x_.md'],
    ['<img src=x onerror=alert(1)>.png', '_img_src_x_onerror_alert_1__.png'],
    ['%2e%2e%2fx', '_2e_2e_2fx'],
  ])('%j is stored as %j', (given, safe) => {
    expect(safeFileName(given)).toBe(safe)
  })

  test.each([
    [`${'n'.repeat(400)}.txt`, `${'n'.repeat(251)}.txt`],
    [`${'ü'.repeat(300)}.png`, `${'ü'.repeat(125)}.png`],
    [`${'𝒳'.repeat(100)}.tar.gz`, `${'𝒳'.repeat(63)}.gz`],
    [`a.${'x'.repeat(300)}`, `a.${'x'.repeat(253)}`],
    ['n'.repeat(255), 'n'.repeat(255)],
  ])('is shortened by whole characters, and keeps its extension (%#)', (given, safe) => {
    expect(safeFileName(given)).toBe(safe)
    expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(255)
  })
})

describe('Markdown', () => {
  test('embeds images, videos and sounds, and links to other files', () => {
    expect(markdownLink('dk.PNG', 'u/dk.PNG')).toBe('![dk](u/dk.PNG)')
    expect(markdownLink('a.b.webm', 'u')).toBe('![a.b](u)')
    expect(markdownLink('x.svg', 'u/x.svg')).toBe('[x.svg](u/x.svg)')
    expect(markdownLink('.png', 'u/.png')).toBe('[.png](u/.png)')
    expect(alternativeText('x.pdf')).toBe('x.pdf')
    const all = 'png jpg jpeg gif bmp tiff ico webp mp4 m4v mov webm ogv mp3 oga ogg spx wav'.split(' ')
    expect(all.filter((extension) => !isEmbeddable(`x.${extension}`))).toEqual([])
    const none = ['svg', 'pdf', 'html', 'tif', '', 'constructor', '__proto__', 'png.', 'png.txt']
    expect(none.filter((extension) => isEmbeddable(`x.${extension}`))).toEqual([])
  })
})

describe('a served file', () => {
  test.each(['html', 'htm', 'xhtml', 'xml', 'svg', 'js', 'mjs', 'css', 'swf', 'mht', 'txt', 'json', '', 'constructor'])(
    'with the extension %j has no type of its own',
    (extension) => {
      expect(mediaTypeOf(`x.${extension}`)).toBe('application/octet-stream')
    },
  )

  test('has the type of its extension only where that cannot run', () => {
    expect(mediaTypeOf('x.JPG')).toBe('image/jpeg')
    expect(mediaTypeOf('x.pdf')).toBe('application/pdf')
    expect(mediaTypeOf('x.ogg')).toBe('audio/ogg')
  })

  test('is under a policy that allows nothing, except a PDF in place', () => {
    const sandboxed = { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': "default-src 'none'; sandbox" }
    expect(safetyHeaders('x.png', 'inline')).toEqual(sandboxed)
    expect(safetyHeaders('x.pdf', 'attachment')).toEqual(sandboxed)
    expect(safetyHeaders('x.pdf', 'inline')).toEqual({ 'X-Content-Type-Options': 'nosniff' })
  })
})
