const names = new Set(['private_token', 'access_token', 'job_token'])

/** Decodes the name of a query parameter; an invalid one stays as it is. */
export function decodedName(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

/** Names of parameters that hold secrets, at any level of nesting: `user[password]`, `client_secret`, … */
const secretName = /password|secret|token|private|credential|import_url|^(?:code|key|value)$/i

/** Whether `name=value` of a query may hold a secret: more than what authenticates, and better too much than too little. */
export function carriesSecret(pair: string): boolean {
  return secretName.test(decodedName(pair.split('=', 1)[0] ?? ''))
}

/** Whether `name=value` of a query carries a credential, however its name is escaped. */
export function carriesCredential(pair: string): boolean {
  return names.has(decodedName(pair.split('=', 1)[0] ?? '').toLowerCase())
}
