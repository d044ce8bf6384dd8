import { createHash } from 'node:crypto'

/** Pushes an image with two layers and a config for Linux, as a client does. @param name `<project path>/<repository>` */
export async function pushImage(url: string, token: string, name: string, tag: string): Promise<void> {
  const basic = Buffer.from(`x:${token}`).toString('base64')
  const asked = `${url}/jwt/auth?service=container_registry&scope=repository:${name}:pull,push`
  const granted = (await (await fetch(asked, { headers: { Authorization: `Basic ${basic}` } })).json()) as {
    token: string
  }
  const send = async (method: string, path: string, body: Buffer, type: string) => {
    const headers = { Authorization: `Bearer ${granted.token}`, 'Content-Type': type }
    const { status } = await fetch(`${url}/v2/${name}/${path}`, { method, headers, body: new Uint8Array(body) })
    if (status !== 201) throw new Error(`${method} ${path}: ${status}`)
  }
  async function blob(content: string, mediaType: string) {
    const bytes = Buffer.from(content)
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    await send('POST', `blobs/uploads/?digest=${digest}`, bytes, 'application/octet-stream')
    return { mediaType, digest, size: bytes.length }
  }
  const of = (kind: string) => `application/vnd.oci.image.${kind}`
  const config = JSON.stringify({ os: 'linux', architecture: 'amd64', created: '2026-01-02T03:04:05Z' })
  const manifest = {
    ...{ schemaVersion: 2, mediaType: of('manifest.v1+json') },
    config: await blob(config, of('config.v1+json')),
    layers: [await blob('base', of('layer.v1.tar+gzip')), await blob(tag.repeat(500), of('layer.v1.tar+gzip'))],
  }
  await send('PUT', `manifests/${tag}`, Buffer.from(JSON.stringify(manifest)), manifest.mediaType)
}
