# Serves the files of a folder over HTTP.
FROM httpd:2.4

COPY ./public/ /usr/local/apache2/htdocs/

EXPOSE 80
