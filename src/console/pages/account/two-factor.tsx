import { encode } from 'uqr'
import type { AnswerOf } from '../../../api/index.ts'
import { twoFactorPath } from '../../frame/addresses.ts'
import type { Html } from '../../html/index.ts'
import {
  userGet,
  userTwoFactorBegin,
  userTwoFactorDisable,
  userTwoFactorEnable,
  userTwoFactorRenewCodes,
} from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Field, Form } from '../../parts/form.tsx'
import { Copy } from '../../parts/parts.tsx'

/** The answer to one of the forms of this page; null when that form was not sent. */
function answerTo<O extends { id: string }>({ answered }: Visit, operation: O): AnswerOf<O> | null {
  return answered?.operation === operation.id ? (answered.value as AnswerOf<O>) : null
}

/** A text as a QR code: one path over the dark squares, on white in every theme, since cameras read no light codes. */
function QrCode({ text }: { text: string }): Html {
  const { data, size } = encode(text, { border: 2 })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} width={220} height={220} role="img" aria-label="QR code">
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  )
}

function Begin({ visit }: { visit: Visit }) {
  return (
    <Form visit={visit} performs={userTwoFactorBegin} shows class="stack">
      <p>With a second factor, a password alone does not sign in: a code of your device is asked for, too.</p>
      <Field visit={visit} operation={userTwoFactorBegin} name="password" />
      <button class="primary">Set up a device</button>
    </Form>
  )
}

function Confirm({ visit, secret }: { visit: Visit; secret: AnswerOf<typeof userTwoFactorBegin> | null }) {
  return (
    <Form visit={visit} performs={userTwoFactorEnable} shows class="stack">
      {secret && (
        <>
          <p>Read this code with an authenticator app, or type the secret.</p>
          <QrCode text={secret.otpauth_uri} />
          <Copy text={secret.secret} label="Secret" />
        </>
      )}
      <Field visit={visit} operation={userTwoFactorEnable} name="code" />
      <button class="primary">Switch on</button>
    </Form>
  )
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <div class="panel secret" role="status">
      <p>Keep these codes where you find them without your device. Each signs in once; they are shown only now.</p>
      <pre tabindex={0}>{codes.join('\n')}</pre>
    </div>
  )
}

function Manage({ visit }: { visit: Visit }) {
  return (
    <>
      <Form visit={visit} performs={userTwoFactorRenewCodes} shows class="stack">
        <h2>New recovery codes</h2>
        <Field visit={visit} operation={userTwoFactorRenewCodes} name="code" />
        <button>Replace the codes</button>
      </Form>
      <Form visit={visit} performs={userTwoFactorDisable} class="stack">
        <h2>Switch off</h2>
        <Field visit={visit} operation={userTwoFactorDisable} name="code" />
        <button class="danger">Switch off</button>
      </Form>
    </>
  )
}

/** Sets up the second factor of the caller. */
export const twoFactor = page({
  at: 'instance',
  path: twoFactorPath,
  nav: { section: 'Account', label: 'Second factor', operation: userGet },
  performs: [userTwoFactorBegin, userTwoFactorEnable, userTwoFactorRenewCodes, userTwoFactorDisable],
  async show(visit) {
    const isOn = (await visit.read(userGet, {})).two_factor_enabled === true
    const codes = answerTo(visit, userTwoFactorEnable) ?? answerTo(visit, userTwoFactorRenewCodes)
    const secret = answerTo(visit, userTwoFactorBegin)
    const isConfirming = secret !== null || visit.refused?.operation === userTwoFactorEnable.id
    const setUp = isConfirming ? <Confirm visit={visit} secret={secret} /> : <Begin visit={visit} />
    return {
      title: 'Second factor',
      body: (
        <div>
          {codes && <RecoveryCodes codes={codes.recovery_codes} />}
          {isOn ? <Manage visit={visit} /> : setUp}
        </div>
      ),
    }
  },
})
