import { flag, limitOrNone, quantity } from '../setting.ts'

const keyBits = {
  minimum: -1,
  description: '0 takes keys of any size, -1 none, any other number those with as many bits',
}

/** The longest time in minutes for which wrong passwords lock an account. */
export const longestUnlockPeriod = 1440

/** What is asked of passwords and keys, and when wrong passwords lock an account (contract 20, "Application settings"). */
export const credentials = {
  password_number_required: flag(false),
  password_symbol_required: flag(false),
  password_uppercase_required: flag(false),
  password_lowercase_required: flag(false),
  max_login_attempts: limitOrNone({ description: 'Wrong passwords until an account is locked; null means 10' }),
  failed_login_attempts_unlock_period_in_minutes: limitOrNone({
    maximum: longestUnlockPeriod,
    description: 'Minutes until a locked account is unlocked; null means 10',
  }),
  require_two_factor_authentication: flag(false, {
    description: 'People who sign in to the pages set up a second factor',
  }),
  require_admin_two_factor_authentication: flag(false, { description: 'Administrators do so' }),
  two_factor_grace_period: quantity(48, {
    description: 'Hours after which people without a demanded second factor see no other page',
  }),
  rsa_key_restriction: quantity(0, keyBits),
  dsa_key_restriction: quantity(0, { ...keyBits, description: 'DSA keys are never taken' }),
  ecdsa_key_restriction: quantity(0, keyBits),
  ed25519_key_restriction: quantity(0, keyBits),
  ecdsa_sk_key_restriction: quantity(0, keyBits),
  ed25519_sk_key_restriction: quantity(0, keyBits),
}
