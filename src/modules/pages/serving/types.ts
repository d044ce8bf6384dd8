const text = (type: string) => `${type}; charset=utf-8`

/** Media types by the ends of names, in lower case (contract 24, Pages: serving and safety). */
const types: Readonly<Record<string, string>> = {
  ...{ html: text('text/html'), htm: text('text/html'), xhtml: text('application/xhtml+xml'), css: text('text/css') },
  ...{ js: text('text/javascript'), mjs: text('text/javascript'), json: 'application/json', map: 'application/json' },
  ...{ txt: text('text/plain'), md: text('text/markdown'), csv: text('text/csv'), xml: text('application/xml') },
  ...{ rss: text('application/rss+xml'), atom: text('application/atom+xml'), ics: text('text/calendar') },
  ...{ yml: text('application/yaml'), yaml: text('application/yaml'), vtt: text('text/vtt') },
  ...{ jsonld: 'application/ld+json', geojson: 'application/geo+json', webmanifest: 'application/manifest+json' },
  ...{ svg: text('image/svg+xml'), png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif' },
  ...{ webp: 'image/webp', avif: 'image/avif', ico: 'image/vnd.microsoft.icon', bmp: 'image/bmp', tiff: 'image/tiff' },
  ...{ woff: 'font/woff', woff2: 'font/woff2', ttf: 'font/ttf', otf: 'font/otf', wasm: 'application/wasm' },
  ...{ mp3: 'audio/mpeg', wav: 'audio/wav', ogg: 'audio/ogg', oga: 'audio/ogg', opus: 'audio/ogg', flac: 'audio/flac' },
  ...{ mp4: 'video/mp4', webm: 'video/webm', ogv: 'video/ogg', mov: 'video/quicktime', m4a: 'audio/mp4' },
  ...{ pdf: 'application/pdf', zip: 'application/zip', gz: 'application/gzip', tgz: 'application/gzip' },
  ...{
    tar: 'application/x-tar',
    bz2: 'application/x-bzip2',
    xz: 'application/x-xz',
    '7z': 'application/x-7z-compressed',
  },
}

/** The media type of a file by its name. */
export function mediaTypeOf(path: string): string {
  const end = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return (Object.hasOwn(types, end) ? types[end] : undefined) ?? 'application/octet-stream'
}
