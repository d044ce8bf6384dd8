import { describe, expect, test } from 'vitest'
import { parseS3Location } from './location.ts'

const plain = { bucket: 'bucket', prefix: '', region: undefined, endpoint: undefined, pathStyle: false }

describe('the location of a bucket', () => {
  test.each([
    ['s3://bucket', plain],
    ['S3://bucket/', plain],
    ['s3://bucket/a/b', { ...plain, prefix: 'a/b/' }],
    ['s3://bucket//a//', { ...plain, prefix: 'a/' }],
    ['s3://my.bucket-1?region=eu-central-1', { ...plain, bucket: 'my.bucket-1', region: 'eu-central-1' }],
    ['s3://bucket?path-style=true', { ...plain, pathStyle: true }],
    [
      's3://bucket/p?endpoint=http://[::1]:9000/',
      { ...plain, prefix: 'p/', endpoint: 'http://[::1]:9000', pathStyle: true },
    ],
    ['s3://bucket?endpoint=https%3A%2F%2Fs3.test', { ...plain, endpoint: 'https://s3.test', pathStyle: true }],
    ['s3://bucket?endpoint=https://s3.test&path-style=false', { ...plain, endpoint: 'https://s3.test' }],
  ])('%s is read', (text, expected) => {
    expect(parseS3Location(text)).toEqual(expected)
  })

  test.each([
    ['s3:', /use s3:\/\/bucket/],
    ['s3:///prefix', /use s3:\/\/bucket/],
    ['s3://b', /use s3:\/\/bucket/],
    ['s3://bucket:9000/x', /use s3:\/\/bucket/],
    ['s3://bucket#hush', /use s3:\/\/bucket/],
    ['s3://hush:hush@bucket', /access keys are not part/],
    ['s3://hush@bucket', /access keys are not part/],
    ['s3://bucket/a/%2e%2e/hush%20', /a prefix consists of/],
    ['s3://bucket/é', /a prefix consists of/],
    ['s3://bucket?secret=hush', /unknown parameter 'secret'/],
    ['s3://bucket?region=eu&region=us', /once/],
    ['s3://bucket?region=hush/', /region must be/],
    ['s3://bucket?path-style=hush', /path-style is true or false/],
    ['s3://bucket?endpoint=hush:9000', /endpoint must be an address/],
    ['s3://bucket?endpoint=http://hush:hush@host', /endpoint must be an address/],
    ['s3://bucket?endpoint=', /endpoint must be an address/],
  ])('%s is refused without its value', (text, reason) => {
    expect(() => parseS3Location(text)).toThrow(reason)
    expect(() => parseS3Location(text)).toThrow(/^FENNEC_OBJECTS_URL: (?!.*hush)/)
  })
})
