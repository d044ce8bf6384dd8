import { treePath } from '../../infra/git/index.ts'

/** Files that a page can show in its text (contract 08): pictures, films, sounds. */
const embeddable = new Set('png jpg jpeg gif bmp tiff ico webp mp4 m4v mov webm ogv mp3 oga ogg spx wav'.split(' '))

const longestBytes = 255

/** A name cut to what file systems take, with its ending. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= longestBytes) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && Buffer.byteLength(name.slice(dot)) < longestBytes / 2 ? name.slice(dot) : ''
  let stem = ending === '' ? name : name.slice(0, dot)
  // No character is cut in two.
  stem = [...stem].slice(0, longestBytes).join('')
  while (Buffer.byteLength(stem + ending) > longestBytes) stem = [...stem].slice(0, -1).join('')
  return stem + ending
}

/**
 * The name under which an uploaded file is kept (contract 08, "Filename sanitising"). Git would not take `.git`, whatever it
 * is called; it gets an underscore as well.
 */
export function safeFileName(filename: string): string {
  const last = filename.toWellFormed().replaceAll('\ufffd', '').replaceAll('\\', '/').split('/').at(-1) ?? ''
  const plain = last.replace(/[^\p{L}\p{M}\p{Nd}\p{Pc}.+-]/gu, '_')
  const named = plain === '' ? 'unnamed' : /^\.+$/.test(plain) ? `_${plain}` : plain
  const short = shortened(named)
  return treePath(short) === null ? shortened(`_${named}`) : short
}

/** How a page refers to a file: shown in the text where that can be, else as a link. */
export function markdownLink(name: string, url: string): string {
  const dot = name.lastIndexOf('.')
  const isShown = dot > 0 && embeddable.has(name.slice(dot + 1).toLowerCase())
  return isShown ? `![${name.slice(0, dot)}](${url})` : `[${name}](${url})`
}
