import { treePath } from '../../../infra/git/index.ts'

/** Extensions of images, videos and sounds, which pages embed (contract 08). */
const embeddable = new Set('png jpg jpeg gif bmp tiff ico webp mp4 m4v mov webm ogv mp3 oga ogg spx wav'.split(' '))

const maximumBytes = 255

/** A name shortened for file systems, with its extension. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= maximumBytes) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && Buffer.byteLength(name.slice(dot)) < maximumBytes / 2 ? name.slice(dot) : ''
  let stem = ending === '' ? name : name.slice(0, dot)
  // Shortened by whole characters.
  stem = [...stem].slice(0, maximumBytes).join('')
  while (Buffer.byteLength(stem + ending) > maximumBytes) stem = [...stem].slice(0, -1).join('')
  return stem + ending
}

/**
 * The stored name of an uploaded file (contract 08, "Filename sanitising"). Names that git refuses, such as `.git`, get an
 * underscore as well.
 */
export function safeFileName(filename: string): string {
  const last = filename.toWellFormed().replaceAll('\ufffd', '').replaceAll('\\', '/').split('/').at(-1) ?? ''
  const plain = last.replace(/[^\p{L}\p{M}\p{Nd}\p{Pc}.+-]/gu, '_')
  const named = plain === '' ? 'unnamed' : /^\.+$/.test(plain) ? `_${plain}` : plain
  const short = shortened(named)
  return treePath(short) === null ? shortened(`_${named}`) : short
}

/** The Markdown that embeds a file in a page, or links to it. */
export function markdownLink(name: string, url: string): string {
  const dot = name.lastIndexOf('.')
  const isShown = dot > 0 && embeddable.has(name.slice(dot + 1).toLowerCase())
  return isShown ? `![${name.slice(0, dot)}](${url})` : `[${name}](${url})`
}
