import type { CaptchaService } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { InstanceSettings } from '../../platform/settings/index.ts'
import { post } from './checkers.ts'

/** The CAPTCHA service, reCAPTCHA version 2; undefined while none is configured. A service that fails verifies nothing. */
export function captchaOf({ log }: Platform, settings: InstanceSettings): CaptchaService | undefined {
  const { recaptcha_enabled: isOn, recaptcha_site_key: siteKey, recaptcha_private_key: secret } = settings
  if (!isOn || siteKey === null || secret === null) return undefined
  return {
    siteKey,
    async accepts(response, ip) {
      const form = new URLSearchParams({ secret, response, remoteip: ip }).toString()
      try {
        const answer = await post(
          settings,
          settings.recaptcha_verification_url,
          'application/x-www-form-urlencoded',
          form,
        )
        return JSON.parse(answer.body.toString())?.success === true
      } catch (error) {
        log.warn({ err: error }, 'the CAPTCHA service could not be asked')
        return false
      }
    },
  }
}
