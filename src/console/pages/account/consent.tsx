import type { Operation } from '../../../api/index.ts'
import type { Visit } from '../../page.ts'
import { Form } from '../../parts/form.tsx'

type ConsentProps = {
  visit: Visit
  application: string
  scopes: readonly { name: string; description: string }[]
  /** What to look at before one allows it. */
  warning: string
  performs: Operation
  call: Record<string, string>
  then?: string
}

/** Who asks for what, and the buttons that decide. */
export function Consent({ visit, application, scopes, warning, performs, call, then }: ConsentProps) {
  return (
    <div class="consent">
      <p class="lead">
        <strong>{application}</strong> asks for access to your account <strong>@{visit.me?.username}</strong>. It will
        be able to:
      </p>
      <ul class="rows">
        {scopes.map(({ name, description }) => (
          <li>
            <span class="grow">{description}</span>
            <code class="soft">{name}</code>
          </li>
        ))}
      </ul>
      <p class="soft">{warning}</p>
      <Form visit={visit} performs={performs} call={call} then={then}>
        <button class="primary" name="decision" value="allow">
          Allow
        </button>{' '}
        <button name="decision" value="deny">
          Deny
        </button>
      </Form>
    </div>
  )
}
