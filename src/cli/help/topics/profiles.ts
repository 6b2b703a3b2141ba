/** `help profiles`: where the connection's settings and secrets live. */

export const text = `
A profile is a named base URL with credentials and defaults, stored on disk. The first one is made by signing in.

    $ supportctl login https://desk.example.com/wp-json
    $ supportctl login --profile staging https://staging.example.com/wp-json --username ann --password-stdin < secret
    $ supportctl profile list
    $ supportctl profile use staging
    $ supportctl ticket update 14 --status hold --profile staging

login tries the credentials with a call that changes nothing before it stores them, and says what is wrong with a base URL
where it can guess what was meant.

## Schemes

basic :: A user name and a password, or an application password; the default
bearer :: A token
header :: A header of a name you choose (--header-name), whose value is the secret
none :: No credentials

## Where the secret lives

In the system's keyring where there is one, else in the profile file, which only its owner can read; that is said when it
happens. --insecure-storage chooses the file. --secret-command runs a command at each use and stores nothing. In
CI use SUPPORTCTL_PASSWORD, SUPPORTCTL_TOKEN or their _FILE forms. A secret never comes from a flag, where others could
read it.

    $ supportctl login --secret-command 'pass show desk'
    $ supportctl profile show
    $ supportctl logout

A profile that --profile names beats SUPPORTCTL_BASE_URL, _USERNAME, _PASSWORD and _TOKEN, which are then ignored with a warning;
the profile in use, or one that SUPPORTCTL_PROFILE names, does not. A stored secret goes only to its profile's own host, user and
scheme. Where --base-url or SUPPORTCTL_BASE_URL leads to another host, the profile in use is left out; one that is named keeps its
settings, but not its secret.

"profile show" says where the secret lives and where each setting comes from. The secret itself is never shown.

## Settings of a profile

    $ supportctl profile set desk --concurrency 8 --rate 20 --format json
    $ supportctl profile set desk --protected
    $ supportctl profile set desk --unset rate

--protected :: Every write needs --confirm PROFILE
--allow-http :: Allows http:// to other hosts than this machine
--concurrency, --rate, --timeout :: Defaults for the flags of these names
--format :: The default for commands on the service's things and for api; those about runs, profiles and this machine
keep to their own
--ca-file, --cert, --key :: Certificates for TLS
--product-prefix, --shop-prefix, --membership-prefix :: A deployment's own words for support, shop and shopm in paths, fields and statuses

"supportctl profile path" prints the file. A flag beats the environment, which beats the profile: see "supportctl help
environment".
`;
