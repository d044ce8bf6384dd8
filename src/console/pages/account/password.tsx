import { userGet, userPasswordUpdate } from '../../operations.ts'
import { page } from '../../page.ts'
import { Field, Form } from '../../parts/form.tsx'

/** Changes the password of the caller. */
export const password = page({
  at: 'instance',
  path: 'profile/password',
  nav: { section: 'Account', label: 'Password', operation: userGet },
  performs: [userPasswordUpdate],
  async show(visit) {
    return {
      title: 'Password',
      body: (
        <div>
          {visit.query.saved && <p role="status">Your password has changed. Other browsers are signed out.</p>}
          <Form visit={visit} performs={userPasswordUpdate} then="/-/profile/password?saved=1" class="stack">
            <p>The other browsers in which you are signed in are signed out.</p>
            <Field
              visit={visit}
              operation={userPasswordUpdate}
              name="current_password"
              options={{ label: 'Present password' }}
            />
            <Field visit={visit} operation={userPasswordUpdate} name="password" options={{ label: 'New password' }} />
            <button class="primary">Change the password</button>
          </Form>
        </div>
      ),
    }
  },
})
