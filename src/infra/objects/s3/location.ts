import { isSegment } from '../storage-key.ts'

/** A bucket, or the part of one below a prefix. */
export interface S3Location {
  bucket: string
  /** Empty, or ends with a slash. */
  prefix: string
  region: string | undefined
  /** `http://host:port` of a service other than Amazon's. */
  endpoint: string | undefined
  /** Whether the bucket's name is in the path instead of the host name. */
  pathStyle: boolean
}

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/
const REGION = /^[A-Za-z0-9-]{1,64}$/

/**
 * Parses `s3://bucket/prefix?endpoint=http://host:port&region=…&path-style=true` (FENNEC_OBJECTS_URL, contract 02 R10).
 * Default for `path-style`: true with an endpoint, since every service supports it; false without one.
 * @throws Error that names the setting, without parts that may be secret
 */
export function parseS3Location(text: string): S3Location {
  const url = URL.parse(text)
  if (!url) throw invalid('use s3://bucket/prefix')
  if (url.username !== '' || url.password !== '')
    throw invalid('access keys are not part of the URL, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  if (url.port !== '' || url.hash !== '' || !BUCKET.test(url.hostname)) throw invalid('use s3://bucket/prefix')
  const { endpoint, region, 'path-style': pathStyle, ...unknown } = parametersOf(url)
  const [name] = Object.keys(unknown)
  if (name !== undefined) throw invalid(`unknown parameter '${name}', use endpoint, region, path-style`)
  if (region !== undefined && !REGION.test(region)) throw invalid('region must be a name like eu-central-1')
  if (pathStyle !== undefined && !['true', 'false'].includes(pathStyle)) throw invalid('path-style is true or false')
  return {
    bucket: url.hostname,
    prefix: prefixOf(url.pathname),
    region,
    endpoint: endpoint === undefined ? undefined : endpointOf(endpoint),
    pathStyle: pathStyle === undefined ? endpoint !== undefined : pathStyle === 'true',
  }
}

function parametersOf(url: URL): Record<string, string> {
  const pairs = [...url.searchParams]
  const names = new Set(pairs.map(([name]) => name))
  if (names.size < pairs.length) throw invalid('each parameter can be given once')
  return Object.fromEntries(pairs)
}

function prefixOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '')
  if (!segments.every(isSegment)) throw invalid('a prefix consists of letters, digits, ".", "_", "-" and "/"')
  return segments.map((segment) => `${segment}/`).join('')
}

function endpointOf(text: string): string {
  const url = URL.parse(text)
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.search === ''
  if (!isPlain) throw invalid('endpoint must be an address like https://s3.example.com')
  return text.replace(/\/+$/, '')
}

function invalid(reason: string): Error {
  return new Error(`FENNEC_OBJECTS_URL: ${reason}`)
}
