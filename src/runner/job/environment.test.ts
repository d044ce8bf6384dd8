import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../testing/index.ts'
import { environmentOf, expandIn, inheritedEnvironment } from './environment.ts'

describe('the environment of a job', () => {
  test('has no settings and secrets of this program', () => {
    const own = { PATH: '/bin', HOME: '/root', LC_ALL: 'C', https_proxy: 'http://proxy', FENNEC_ROOT_TOKEN: 'x' }
    const others = {
      AWS_SECRET_ACCESS_KEY: 'x',
      npm_config_x: 'x',
      NODE_OPTIONS: 'x',
      PATHX: 'x',
      GIT_DIR: 'x',
      TZ: undefined,
    }
    const { FENNEC_ROOT_TOKEN: _secret, ...expected } = own
    expect(inheritedEnvironment({ ...own, ...others })).toEqual(expected)
  })

  test('has variables, of which the last of a name counts, with their references replaced', async () => {
    await using folder = await temporaryDirectory()
    const plain = { masked: false }
    const environment = await environmentOf(
      [
        { ...plain, key: 'A', value: 'old' },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as jobs write it
        { ...plain, key: 'B', value: '$A ${A} $UNKNOWN $$A' },
        { ...plain, key: 'A', value: 'new' },
        { ...plain, key: 'RAW', value: '$A', raw: true },
        { ...plain, key: 'FILE', value: 'content $A', file: true },
        { ...plain, key: 'PATH_OF_FILE', value: '$FILE.txt' },
        { ...plain, key: 'NUL', value: 'a\0b' },
        { ...plain, key: 'A=B', value: 'x' },
        { ...plain, key: '__proto__', value: 'x' },
      ],
      folder.path,
    )
    const file = join(folder.path, 'variable-0')
    expect(Object.fromEntries(Object.entries(environment).filter(([key]) => key !== '__proto__'))).toEqual({
      ...{ A: 'new', B: 'new new $UNKNOWN $A', RAW: '$A', FILE: file, PATH_OF_FILE: `${file}.txt` },
    })
    expect(await readFile(file, 'utf8')).toBe('content new')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(expandIn(environment, '$RAW-$toString')).toBe('$A-$toString')
  })
})
