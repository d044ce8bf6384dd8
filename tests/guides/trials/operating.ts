import { run, sh, type Trial } from '../trial.ts'

/** What a server has after a while: a project with a commit and an issue with a file. */
const fill = sh(
  'fill() {',
  '  export TOKEN="$(cat data/root-token)"',
  '  api="http://127.0.0.1:$SERVER_PORT/api/v4"',
  '  curl --output /dev/null --header "PRIVATE-TOKEN: $TOKEN" --data name=demo --data initialize_with_readme=true "$api/projects"',
  '  echo contents > upload.txt',
  '  curl --header "PRIVATE-TOKEN: $TOKEN" --form file=@upload.txt "$api/projects/1/uploads"',
  '}',
  // Not by `--output`: curl 7 empties the file before it tries again, which fails for /dev/null.
  'ready() { curl --retry 60 --retry-delay 1 --retry-all-errors "http://127.0.0.1:$SERVER_PORT/-/readiness" > /dev/null; }',
)

export const operating: readonly Trial[] = [
  {
    document: 'docs/guides/backup.md',
    name: 'restic',
    tools: ['restic'],
    server: {},
    instead: {
      '/backups': '$HOME/backups',
      '/restored/backups': '/restored$HOME/backups',
      '/restored': '$HOME/restored',
    },
    steps: [
      fill,
      sh(
        'fill',
        'export RESTIC_REPOSITORY="$HOME/restic" RESTIC_PASSWORD_FILE="$HOME/password"',
        'echo kept-elsewhere > "$RESTIC_PASSWORD_FILE" && mkdir backups && restic init --quiet',
      ),
      run('Every night'),
      sh('export FENNEC_DATA="$HOME/new"'),
      run('Back from it'),
      sh('FENNEC_LISTEN=127.0.0.1:$NEW_PORT fennec serve &', 'SERVER_PORT="$NEW_PORT"', 'ready'),
      sh(
        'curl --header "PRIVATE-TOKEN: $TOKEN" "http://127.0.0.1:$NEW_PORT/api/v4/projects/root%2Fdemo/repository/commits/main"',
      ),
    ],
    ports: ['NEW'],
  },
  {
    document: 'docs/guides/postgresql.md',
    name: 'from SQLite to PostgreSQL',
    tools: ['psql'],
    postgres: true,
    instead: {
      // The administrator of the cluster has the name of the guide. The program asks twice for the password.
      'createuser --pwprompt fennec': "printf 'PASSWORD\\nPASSWORD\\n' | createuser --pwprompt reader",
      '--owner=fennec': '--owner=reader',
      "'postgres://fennec:PASSWORD@db.example:5432/fennec'":
        '"postgres://reader:PASSWORD@localhost/fennec?host=$PGHOST"',
      '/backups': '$HOME/backups',
    },
    steps: [
      fill,
      sh(
        'fennec serve & server=$!',
        'ready && fill && kill $server && wait $server',
        'mkdir backups && fennec backup backups/before.fennec',
      ),
      run('Set up'),
      sh(
        'psql --quiet --command "drop owned by reader" "$FENNEC_DATABASE_URL"',
        'url="$FENNEC_DATABASE_URL" && unset FENNEC_DATABASE_URL',
        'fennec() { if [ "$1" = restore ]; then export FENNEC_DATABASE_URL="$url" FENNEC_DATA="$HOME/new"; fi; command fennec "$@"; }',
      ),
      run('From SQLite to PostgreSQL, and back'),
      sh('fennec serve &', 'ready'),
      sh('curl --header "PRIVATE-TOKEN: $TOKEN" "$api/projects/root%2Fdemo/repository/commits/main"'),
    ],
  },
  {
    document: 'docs/guides/s3.md',
    name: 'a service on this machine',
    tools: ['versitygw'],
    ports: ['S3'],
    instead: { '127.0.0.1:9000': '127.0.0.1:$S3_PORT' },
    steps: [
      fill,
      sh(
        'export AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=secret-of-the-key',
        'mkdir -p objects/my-bucket sidecar',
        'ROOT_ACCESS_KEY="$AWS_ACCESS_KEY_ID" ROOT_SECRET_KEY="$AWS_SECRET_ACCESS_KEY" versitygw --port 127.0.0.1:$S3_PORT posix --sidecar "$HOME/sidecar" objects &',
      ),
      run('S3', 2),
      sh('fennec serve &', 'ready', 'fill', '[ -n "$(find objects/my-bucket -type f)" ]', 'fennec check'),
    ],
  },
  {
    document: 'docs/guides/hardening.md',
    name: 'settings of administrators',
    tools: [],
    server: {},
    steps: [sh('TOKEN="$(cat data/root-token)"'), run('Settings of administrators')],
  },
  {
    document: 'docs/guides/mail.md',
    name: 'a mail by SMTP',
    tools: [],
    ports: ['SMTP'],
    instead: { 'mail.example.com:587': '127.0.0.1:$SMTP_PORT' },
    steps: [
      fill,
      sh('node "$ROOT/tests/guides/mail-server.ts" "$SMTP_PORT" > mails &', 'set -a'),
      run('Mail'),
      sh(
        'fennec serve &',
        'ready && fill',
        'curl --header "PRIVATE-TOKEN: $TOKEN" --data email=guest@example.com --data access_level=30 "$api/projects/root%2Fdemo/invitations"',
        'for _ in $(seq 60); do grep --quiet "^To: guest@example.com" mails && break; sleep 0.5; done',
        'grep "^From: Fennec <fennec@example.com>" mails',
        'grep "^To: guest@example.com" mails',
      ),
    ],
  },
]
