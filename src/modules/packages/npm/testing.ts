import { createHash } from 'node:crypto'

type Body = Record<string, unknown>
export type Parts = { version?: string; tag?: string; content?: string | Buffer; manifest?: Body; attachment?: Body }

export const digest = (name: 'sha1' | 'sha512', content: string | Buffer, form: 'hex' | 'base64') =>
  createHash(name).update(content).digest(form)

/** What `npm publish` sends. */
export function publication(
  name: string,
  { version = '1.0.0', tag = 'latest', content = `tarball of ${version}`, manifest = {}, attachment = {} }: Parts = {},
) {
  const dist = { shasum: digest('sha1', content, 'hex'), integrity: `sha512-${digest('sha512', content, 'base64')}` }
  const data = Buffer.from(content).toString('base64')
  const file = {
    content_type: 'application/octet-stream',
    data,
    length: Buffer.byteLength(content as string),
    ...attachment,
  }
  return {
    ...{ _id: name, name, 'dist-tags': { [tag]: version } },
    versions: { [version]: { name, version, readme: 'long', dist, ...manifest } },
    _attachments: { [`${name}-${version}.tgz`]: file } as Body,
  }
}
