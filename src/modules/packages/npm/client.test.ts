/** The npm that comes with Node against the server. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram, temporaryDirectory } from '../../../testing/index.ts'
import { deployToken, newProject, people, servePackagesForTests, server } from '../testing.ts'

servePackagesForTests()

test('npm publishes, installs, tags and deprecates', { timeout: 120_000 }, async () => {
  await using folder = await temporaryDirectory()
  const { place, project } = await newProject()
  const home = join(folder.path, 'home')
  const registry = `${server.url}/api/v4${place}/packages/npm/`
  const npm = async (cwd: string, token: string, ...parameters: string[]) => {
    await mkdir(join(folder.path, cwd), { recursive: true })
    const line = `@g:registry=${registry}\n${registry.replace(/^http:/, '')}:_authToken=${token}\n`
    await writeFile(join(folder.path, cwd, '.npmrc'), `${line}update-notifier=false\nfund=false\n`)
    return runProgram({
      binary: 'npm',
      parameters,
      cwd: join(folder.path, cwd),
      env: { PATH: process.env.PATH, HOME: home, npm_config_cache: join(home, token.slice(-6)) },
    })
  }
  await mkdir(join(folder.path, 'lib'), { recursive: true })
  const manifest = (version: string) => JSON.stringify({ name: '@g/lib', version, main: 'index.js' })
  await writeFile(join(folder.path, 'lib/index.js'), 'module.exports = 42\n')
  await writeFile(join(folder.path, 'lib/package.json'), manifest('1.0.0'))
  const developer = people.developer.token
  expect(await npm('lib', developer, 'publish')).toMatchObject({ code: 0 })
  expect((await npm('lib', developer, 'publish')).code).not.toBe(0)
  await writeFile(join(folder.path, 'lib/package.json'), manifest('1.1.0-beta.1'))
  expect(await npm('lib', developer, 'publish', '--tag', 'next')).toMatchObject({ code: 0 })
  expect(await npm('lib', developer, 'dist-tag', 'add', '@g/lib@1.0.0', 'stable')).toMatchObject({ code: 0 })
  const reader = await deployToken(people.owner, place, ['read_package_registry'])
  for (const token of [people.reporter.token, reader]) {
    const cwd = `app-${token.slice(-6)}`
    await mkdir(join(folder.path, cwd), { recursive: true })
    await writeFile(join(folder.path, cwd, 'package.json'), '{"name":"app","version":"1.0.0"}')
    expect(await npm(cwd, token, 'install', '--no-audit', '@g/lib')).toMatchObject({ code: 0 })
    const lock = JSON.parse(await readFile(join(folder.path, cwd, 'package-lock.json'), 'utf8'))
    expect(lock.packages['node_modules/@g/lib']).toMatchObject({
      version: '1.0.0',
      resolved: `${server.url}/api/v4/projects/${project.id}/packages/npm/@g/lib/-/@g/lib-1.0.0.tgz`,
      integrity: expect.stringMatching(/^sha512-/),
    })
  }
  expect((await npm('app', people.guest.token, 'view', '@g/lib')).code).not.toBe(0)
  expect(await npm('lib', people.maintainer.token, 'deprecate', '@g/lib@1.0.0', 'old')).toMatchObject({ code: 0 })
  expect(JSON.stringify(await npm('lib', developer, 'view', '@g/lib', '--json'))).toContain('old')
})
