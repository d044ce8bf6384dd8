import { expect, test } from 'vitest'
import { isImage } from './format.ts'

test('the content decides with the extension about the format', () => {
  const riff = Buffer.from('RIFFxxxxWEBPVP8 ')
  expect(isImage('a.webp', riff)).toBe(true)
  expect(isImage('a.webp', Buffer.from('RIFFxxxxWAVEfmt '))).toBe(false)
  expect(isImage('a.gif', Buffer.from('GIF89a'))).toBe(true)
  expect(isImage('a.gif', Buffer.from('GIF88a'))).toBe(false)
  expect(isImage('a.tiff', Buffer.from('MM\0*'))).toBe(true)
  expect(isImage('a.ico', Buffer.from([0, 0, 1, 0]))).toBe(true)
  expect(isImage('a.bmp', Buffer.from('B'))).toBe(false)
  expect(isImage('a.constructor', riff)).toBe(false)
})
