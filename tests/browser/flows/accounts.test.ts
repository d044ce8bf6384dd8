/** What people do with their account, and administrators with it. */
import { createHash, randomBytes } from 'node:crypto'
import { TOTP } from 'otpauth'
import { beforeAll, expect, test } from 'vitest'
import { password, press, signIn, textOf } from '../browser.ts'
import { declareFlows, submit } from './testing.ts'

declareFlows((flow) => {
  const { at, name, stored } = flow
  beforeAll(() => flow.makeProject())

  test('a person signs in with a code of their device, once', async () => {
    const { username } = await flow.makePerson('secured')
    const own = await flow.openTab()
    await signIn(own.page, flow.server.url, username)
    await flow.send('/-/profile/two_factor', { password }, own.page)
    const secret = await own.page.$eval('main .copy input', (input) => (input as { value: string }).value)
    const totp = new TOTP({ secret })
    const first = totp.generate()
    await own.page.type('main input[name=code]', first)
    await press(own.page, submit)
    await own.close()
    // A code is accepted once; that of the next step is accepted before its time.
    const next = () => totp.generate({ timestamp: Date.now() + totp.period * 1000 })
    for (const [codeOf, leads] of [
      [() => first, '/users/sign_in'],
      [next, '/'],
    ] as const) {
      const other = await flow.openTab()
      await signIn(other.page, flow.server.url, username)
      await other.page.type('#password', password)
      await other.page.type('#code', codeOf())
      await press(other.page, 'main button.primary')
      expect(new URL(other.page.url()).pathname).toBe(leads)
      await other.close()
    }
  })

  test('a person makes a token that does what they choose, and changes their password', async () => {
    const { id, username } = await flow.makePerson('own')
    const own = await flow.openTab()
    await signIn(own.page, flow.server.url, username)
    await flow.goto('/-/profile/personal_access_tokens/new', own.page)
    await own.page.click('main input[value=read_user]')
    await own.page.type('main input[name=name]', 'mine')
    await press(own.page, submit)
    const token = await own.page.$eval('main .secret .copy input', (input) => (input as { value: string }).value)
    expect((await flow.server.as(token).get('/user')).body).toMatchObject({ id })
    const chosen = 'an-other-horse-10'
    expect(await flow.send('/-/profile/password', { current_password: password, password: chosen }, own.page)).toBe(
      '/-/profile/password',
    )
    expect(await textOf(own.page)).toContain('Your password has changed')
    expect(own.complaints).toEqual([])
    await own.close()
    const again = await flow.openTab()
    await signIn(again.page, flow.server.url, username, chosen)
    expect(new URL(again.page.url()).pathname).toBe('/')
    await again.close()
  })

  test('a person who is blocked loses their session at once, and learns why when they sign in', async () => {
    const { id, username } = await flow.makePerson('blocked')
    const own = await flow.openTab()
    await signIn(own.page, flow.server.url, username)
    await flow.goto('/-/profile', own.page)
    expect(new URL(own.page.url()).pathname).toBe('/-/profile')
    await flow.goto(`/admin/users/${id}`)
    await flow.pressNamed('Block')
    expect(await flow.server.root.get(`/users/${id}`)).toMatchObject({ body: { state: 'blocked' } })
    await flow.goto('/-/profile', own.page)
    expect(new URL(own.page.url()).pathname).toBe('/users/sign_in')
    await signIn(own.page, flow.server.url, username, 'a wrong one')
    expect(await textOf(own.page)).toContain('The user name or the password is wrong')
    await signIn(own.page, flow.server.url, username)
    expect(await textOf(own.page)).toContain('Your account has been blocked')
    await flow.pressNamed('Unblock')
    await signIn(own.page, flow.server.url, username)
    expect(new URL(own.page.url()).pathname).toBe('/')
    expect(own.complaints).toEqual([])
    await own.close()
  })

  test('an access request is approved', async () => {
    const user = await flow.makePerson('asks')
    const token = { name: 'test', scopes: ['api'] }
    const { body } = await flow.server.root.post(`/users/${user.id}/personal_access_tokens`, token)
    expect((await flow.server.as(body.token).post(flow.api('/access_requests'))).status).toBe(201)
    await flow.goto(`${at}/-/access_requests`)
    await press(flow.page, 'main table form button')
    expect(await stored(`/members/${user.id}`)).toMatchObject({ access_level: 30 })
  })

  test('an OAuth application is authorised', async () => {
    const redirect_uri = `${flow.server.url}/users/sign_in`
    const application = { name: `App ${name}`, redirect_uri, scopes: 'read_user', confidential: false }
    const { body } = await flow.server.root.post('/applications', application)
    const verifier = randomBytes(32).toString('base64url')
    const query = new URLSearchParams({
      ...{ client_id: body.application_id, redirect_uri, response_type: 'code', scope: 'read_user', state: 'xyz' },
      ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
    })
    let led = ''
    flow.page.on('framenavigated', (frame) => {
      if (frame.url().includes('code=')) led = frame.url()
    })
    flow.page.on('request', (request) => {
      if (request.url().includes('code=')) led = request.url()
    })
    await flow.goto(`/oauth/authorize?${query}`)
    expect(await textOf(flow.page)).toContain(`App ${name}`)
    await press(flow.page, submit)
    const answer = new URL(led).searchParams
    expect(answer.get('state')).toBe('xyz')
    const exchanged = await fetch(`${flow.server.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', client_id: body.application_id, redirect_uri },
        ...{ code: answer.get('code') ?? '', code_verifier: verifier },
      }),
    })
    expect(exchanged.status).toBe(200)
    const { access_token: access } = (await exchanged.json()) as { access_token: string }
    const user = await fetch(`${flow.server.url}/api/v4/user`, { headers: { Authorization: `Bearer ${access}` } })
    expect(await user.json()).toMatchObject({ id: 1 })
  })
})
