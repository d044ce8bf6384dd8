/** Extensions of images, videos and sounds, which Markdown embeds, with their types (contract 08). */
const embeddable: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  bmp: 'image/bmp',
  tiff: 'image/tiff',
  ico: 'image/vnd.microsoft.icon',
  webp: 'image/webp',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  ogv: 'video/ogg',
  mp3: 'audio/mpeg',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  spx: 'audio/ogg',
  wav: 'audio/wav',
}

const extensionOf = (name: string) => /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

const isPdf = (name: string) => extensionOf(name) === 'pdf'

/** Whether Markdown embeds a file instead of linking to it. */
export function isEmbeddable(name: string): boolean {
  return Object.hasOwn(embeddable, extensionOf(name))
}

/** Whether browsers may show a file in place. */
export function isShownInPlace(name: string): boolean {
  return isEmbeddable(name) || isPdf(name)
}

/** The type under which a file is served. Only its extension decides: the sender's type and the content are not trusted. */
export function mediaTypeOf(name: string): string {
  if (isPdf(name)) return 'application/pdf'
  return isEmbeddable(name) ? (embeddable[extensionOf(name)] as string) : 'application/octet-stream'
}

/**
 * Headers that keep browsers from running a file (contract 08, Serving). A PDF in place has no policy: viewers of browsers
 * do not work under one.
 */
export function safetyHeaders(name: string, kind: 'inline' | 'attachment'): Record<string, string> {
  const policy = { 'Content-Security-Policy': "default-src 'none'; sandbox" }
  return { 'X-Content-Type-Options': 'nosniff', ...(kind === 'inline' && isPdf(name) ? {} : policy) }
}

/** What a file is called in Markdown: the name, of embeddable files without the extension. */
export function alternativeText(name: string): string {
  return isEmbeddable(name) ? name.slice(0, name.lastIndexOf('.')) : name
}

/** The Markdown that embeds a file, or links to it. */
export function markdownLink(name: string, url: string): string {
  return `${isEmbeddable(name) ? '!' : ''}[${alternativeText(name)}](${url})`
}
