const names = new Set(['private_token', 'access_token', 'job_token'])

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

/** Whether `name=value` of a query carries a credential, however its name is escaped. */
export function carriesCredential(pair: string): boolean {
  return names.has(decoded(pair.split('=', 1)[0] ?? '').toLowerCase())
}
